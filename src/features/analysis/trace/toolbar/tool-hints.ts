import { AREA_TOOLS } from '../../tools/area-tools';
import type { ToolId } from '../../tools/tool';

const HINTS: Partial<Record<ToolId, string>> = {
  move: 'Move: draw the picture along. A second press takes up the pen.',
  pen: 'Pen: draw over what you see as one line; it is painted as wide as the ring. Go round an area first, then fill it with strokes.',
  erase: 'Erase: draw over what should not be painted.',
};

export function toolHint(tool: ToolId): string {
  const offered = AREA_TOOLS.find(({ id }) => id === tool);
  return offered === undefined ? (HINTS[tool] ?? '') : `${offered.label}: ${offered.hint}`;
}
