import type { Polygon, Position } from './outline';

/** Cells a side of the grid at most. */
const SIDE_MAX = 256;

/**
 * First place where the edges of a polygon cross each other; null if none do. Edges that only touch do not cross.
 * Edges are sorted into a grid, so that only near ones are compared: 100,000 edges of a coast take about a second.
 */
export function selfCrossing(polygon: Polygon): Position | null {
  const edges = polygon.flatMap((ring) => ring.slice(1).map((to, i) => [ring[i] as Position, to] as const));
  const [west, south, east, north] = extent(polygon);
  const side = Math.max(1, Math.min(SIDE_MAX, Math.ceil(Math.sqrt(edges.length))));
  const cellOf = (value: number, low: number, high: number): number =>
    high === low ? 0 : Math.min(side - 1, Math.floor(((value - low) / (high - low)) * side));
  const cells = new Map<number, number[]>();
  for (const [n, [a, b]] of edges.entries()) {
    const columns = [cellOf(a[0], west, east), cellOf(b[0], west, east)].sort((x, y) => x - y);
    const rows = [cellOf(a[1], south, north), cellOf(b[1], south, north)].sort((x, y) => x - y);
    for (let row = rows[0] ?? 0; row <= (rows[1] ?? 0); row++)
      for (let column = columns[0] ?? 0; column <= (columns[1] ?? 0); column++) {
        const cell = cells.get(row * side + column) ?? [];
        for (const other of cell) {
          const place = crossing(edges[other] as Edge, [a, b]);
          if (place !== null) return place;
        }
        cell.push(n);
        cells.set(row * side + column, cell);
      }
  }
  return null;
}

type Edge = readonly [from: Position, to: Position];

/** Place where two edges cross, each strictly within the other. */
function crossing([a, b]: Edge, [c, d]: Edge): Position | null {
  const [cSide, dSide] = [turn(a, b, c), turn(a, b, d)];
  const [aSide, bSide] = [turn(c, d, a), turn(c, d, b)];
  if (!(cSide * dSide < 0 && aSide * bSide < 0)) return null;
  const share = area(c, d, a) / (area(c, d, a) - area(c, d, b));
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
}

const turn = (a: Position, b: Position, c: Position): number => Math.sign(area(a, b, c));

/** Twice the area of a triangle, positive if it turns left. */
const area = (a: Position, b: Position, c: Position): number =>
  (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

function extent(polygon: Polygon): readonly [number, number, number, number] {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of polygon)
    for (const [x, y] of ring) {
      [west, east] = [Math.min(west, x), Math.max(east, x)];
      [south, north] = [Math.min(south, y), Math.max(north, y)];
    }
  return [west, south, east, north];
}
