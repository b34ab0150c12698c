import { AREA_TOOLS } from '../../tools/area-tools';
import type { ToolId } from '../../tools/tool';

const HINTS: Partial<Record<ToolId, string>> = {
  move: 'Move: drag the picture. Press again for the pen.',
  pen: 'Pen: draw one line over what you see; it paints as wide as the ring. Go round an area first, then fill it with strokes.',
  erase: 'Erase: draw over what should not be painted.',
};

export function toolHint(tool: ToolId): string {
  const offered = AREA_TOOLS.find(({ id }) => id === tool);
  return offered === undefined ? (HINTS[tool] ?? '') : `${offered.label}: ${offered.hint}`;
}
