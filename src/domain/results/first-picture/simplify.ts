/** Point on a grid, in whole steps. */
export type GridPoint = readonly [x: number, y: number];

/** Ring without the points that lie within a tolerance of the line between others (Douglas and Peucker 1973). */
export function simplifyRing(ring: readonly GridPoint[], tolerance: number): readonly GridPoint[] {
  const points = ring.filter(([x, y], i) => i === 0 || x !== ring[i - 1]?.[0] || y !== ring[i - 1]?.[1]);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [];
  if (points.length > 1 && first[0] === last[0] && first[1] === last[1]) points.pop();
  if (points.length < 3) return points;
  // A closed ring is two lines: from the first point to the one farthest from it, and back.
  const far = indexOfMost(points, (point) => Math.hypot(point[0] - first[0], point[1] - first[1]));
  const kept = new Set([0, far]);
  const closed = [...points, first];
  const open: (readonly [number, number])[] = [
    [0, far],
    [far, points.length],
  ];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const [from, to] = span;
    const [a, b] = [closed[from], closed[to]];
    if (a === undefined || b === undefined || to - from < 2) continue;
    const between = closed.slice(from + 1, to);
    const most = indexOfMost(between, (point) => distanceToLine(point, a, b));
    const split = from + 1 + most;
    if (distanceToLine(closed[split] ?? a, a, b) <= tolerance) continue;
    kept.add(split);
    open.push([from, split], [split, to]);
  }
  return points.filter((_, i) => kept.has(i));
}

function distanceToLine([x, y]: GridPoint, [ax, ay]: GridPoint, [bx, by]: GridPoint): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx ** 2 + dy ** 2;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

function indexOfMost(points: readonly GridPoint[], valueOf: (point: GridPoint) => number): number {
  let index = 0;
  let most = -Infinity;
  points.forEach((point, i) => {
    const value = valueOf(point);
    if (value > most) [index, most] = [i, value];
  });
  return index;
}
