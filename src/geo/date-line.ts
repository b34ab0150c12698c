import type { Outline, Polygon, Position, Ring } from './outline';

/**
 * Splits polygons at the 180th meridian (RFC 7946, 3.1.9). A ring crosses it where its longitude jumps by more than half
 * the earth, or passes 180.
 *
 * @param polygons longitudes in -540..540
 * @returns areas within -180..180; null if a ring goes around a pole, which has no inside on a chart
 */
export function splitAtDateLine(polygons: readonly Polygon[]): Outline | null {
  const found: Polygon[] = [];
  for (const polygon of polygons) {
    const rings = polygon.map(unwrapRing);
    const [outer] = rings;
    if (outer === undefined || rings.includes(null)) return null;
    const longitudes = (outer ?? []).map(([x]) => x);
    const low = longitudes.reduce((a, b) => Math.min(a, b), Infinity);
    const high = longitudes.reduce((a, b) => Math.max(a, b), -Infinity);
    for (let turn = Math.floor((low + 180) / 360); turn * 360 - 180 < high; turn++) {
      const west = turn * 360 - 180;
      const part = rings.flatMap((ring) => {
        const near = nearRing(ring ?? [], low);
        const clipped = low >= west && high <= west + 360 ? near : clip(clip(near, west, 1), west + 360, -1);
        return clipped.length < 4 ? [] : [clipped.map(([x, y]): Position => [x - turn * 360, y])];
      });
      if (part.length > 0) found.push(part);
    }
  }
  return found;
}

/** Ring with continuous longitudes; null if it does not return to where it began. */
function unwrapRing(ring: Ring): Ring | null {
  let previous = ring[0]?.[0] ?? 0;
  const unwrapped = ring.map(([x, y]): Position => {
    previous = x - Math.round((x - previous) / 360) * 360;
    return [previous, y];
  });
  const [first, last] = [unwrapped[0], unwrapped.at(-1)];
  return first === undefined || last === undefined || Math.abs(first[0] - last[0]) > 180 ? null : unwrapped;
}

/** Moves a hole to the turn of the earth on which its outer ring is. */
function nearRing(ring: Ring, low: number): Ring {
  const own = ring.reduce((least, [x]) => Math.min(least, x), Infinity);
  const turns = Math.ceil((low - own) / 360 - 1e-9) * 360;
  return turns === 0 ? ring : ring.map(([x, y]): Position => [x + turns, y]);
}

/** Part of a ring on one side of a meridian (Sutherland and Hodgman 1974). @param side 1: east of it, -1: west */
function clip(ring: Ring, meridian: number, side: 1 | -1): Ring {
  const isInside = ([x]: Position): boolean => (x - meridian) * side >= 0;
  const clipped: Position[] = [];
  for (let i = 1; i < ring.length; i++) {
    const [from, to] = [ring[i - 1] as Position, ring[i] as Position];
    if (isInside(from) !== isInside(to)) {
      const share = (meridian - from[0]) / (to[0] - from[0]);
      clipped.push([meridian, from[1] + share * (to[1] - from[1])]);
    }
    if (isInside(to)) clipped.push(to);
  }
  const [first] = clipped;
  return first === undefined ? [] : [...clipped, first];
}
