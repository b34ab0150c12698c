import { expect } from 'vitest';
import type { Position } from '../../src/domain/geobuf/geojson';
import type { Tool, ToolDraft, ToolHost } from '../../src/features/analysis/tools/tool';

/** Host that notes what a tool of areas makes, says and shows. */
export function noted() {
  const made: (readonly (readonly Position[])[])[] = [];
  const said: string[] = [];
  const drafts: (ToolDraft | null)[] = [];
  const host: ToolHost = {
    draw: () => expect.fail('an area is not drawn'),
    discardStroke: () => undefined,
    finish: (mark) => (mark.kind === 'polygon' ? made.push(mark.rings) : expect.fail('an area is a polygon')),
    showDraft: (draft) => drafts.push(draft),
    showMessage: (words) => said.push(words),
  };
  return { host, made, said, drafts, shown: () => drafts.at(-1) ?? null };
}

/** Reach of a finger, normalised. */
export const REACH = () => ({ x: 0.02, y: 0.03 });
export const tap = (tool: Tool, x: number, y: number): void => {
  tool.down(x, y);
  tool.up();
};
/** Settles after every promise that was ready. */
export const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

export const SQUARE = [
  [0.2, 0.2],
  [0.6, 0.2],
  [0.6, 0.7],
  [0.2, 0.7],
] as const;
export const RING = [...SQUARE, SQUARE[0]];
