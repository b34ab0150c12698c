import type { Position } from '../../../domain/geobuf/geojson';
import type { OutlineFinder } from '../../../workers/outline/outline.api';
import type { Reach } from './corners';
import type { LineBetween } from './polygon-tool';
import { createPolygonTool } from './polygon-tool';
import type { Tool, ToolHost } from './tool';

export const EDGE_MESSAGE =
  'The edges of this photograph cannot be found now. Lines go straight from corner to corner; your corners stay.';

/**
 * Edge tool: areas as in {@link createPolygonTool}, with lines that follow edges.
 * Requests are coalesced while a finger moves: one runs, the latest one waits.
 */
export function createEdgeTool(host: ToolHost, reach: () => Reach, finder: Pick<OutlineFinder, 'edge'>): Tool {
  const queue: LineRequest[] = [];
  let isSearching = false;
  let hasWarned = false;

  const find = async (from: Position, to: Position): Promise<readonly Position[]> => {
    try {
      const way = await finder.edge(from[0], from[1], to[0], to[1]);
      if (way !== null) return innerPositions(way);
    } catch {
      // Reported below, as for a missing picture.
    }
    if (!hasWarned) host.showMessage(EDGE_MESSAGE);
    hasWarned = true;
    return [];
  };
  const drainQueue = async (): Promise<void> => {
    if (isSearching) return;
    isSearching = true;
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      next.resolve(await find(next.from, next.to));
    isSearching = false;
  };
  const lineBetween: LineBetween = (from, to) =>
    new Promise((found) => {
      // The finger moved on: drop the waiting request from the same corner.
      const last = queue.at(-1);
      if (last?.from === from) queue.pop()?.resolve([]);
      queue.push({ from, to, resolve: found });
      void drainQueue();
    });
  return createPolygonTool(host, reach, lineBetween);
}

interface LineRequest {
  readonly from: Position;
  readonly to: Position;
  readonly resolve: (line: readonly Position[]) => void;
}

function innerPositions(way: Float64Array): readonly Position[] {
  const places: Position[] = [];
  for (let at = 2; at + 3 < way.length; at += 2) places.push([way[at] ?? 0, way[at + 1] ?? 0]);
  return places;
}
