import type { Position } from '../../../domain/geobuf/geojson';
import type { Tool, ToolHost } from './tool';

/**
 * Pen and eraser: paints live and finishes a line on release (2§4: "A trace becomes active once it has 4 or more
 * points. On release the path is simplified and stamped"; the host does both, since it knows the picture).
 */
export function createPenTool(host: ToolHost): Tool {
  let line: number[] | null = null;
  const discard = (): void => {
    if (line === null) return;
    line = null;
    host.discardStroke();
  };
  return {
    down(x, y) {
      discard();
      line = [x, y];
      host.draw(Float64Array.of(x, y));
    },
    move(points) {
      if (line === null || points.length === 0) return;
      for (const each of points) line.push(each);
      host.draw(points);
    },
    up() {
      if (line === null) return;
      const points: Position[] = [];
      for (let at = 0; at + 1 < line.length; at += 2) points.push([line[at] ?? 0, line[at + 1] ?? 0]);
      line = null;
      host.finish({ kind: 'stroke', points });
    },
    cancel: discard,
    confirm() {
      this.up();
    },
    discard,
    undoStep() {
      if (line === null) return false;
      discard();
      return true;
    },
  };
}
