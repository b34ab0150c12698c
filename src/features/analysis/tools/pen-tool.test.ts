import { expect, test } from 'vitest';
import type { ToolHost } from './tool';
import { createPenTool } from './pen-tool';

function host() {
  const log: unknown[] = [];
  const made: ToolHost = {
    draw: (points) => log.push(['draw', ...points]),
    discardStroke: () => log.push(['giveUp']),
    finish: (what) => log.push(['finish', what]),
    showDraft: () => undefined,
    showMessage: () => undefined,
  };
  return { log, made };
}

test('2§4 free-draw: the pen paints as it moves and finishes with every sample', () => {
  const { log, made } = host();
  const pen = createPenTool(made);
  pen.move(Float64Array.of(0.9, 0.9));
  pen.down(0.1, 0.2);
  pen.move(Float64Array.of(0.2, 0.2, 0.3, 0.2));
  pen.up();
  pen.up();
  expect(log).toEqual([
    ['draw', 0.1, 0.2],
    ['draw', 0.2, 0.2, 0.3, 0.2],
    [
      'finish',
      {
        kind: 'stroke',
        points: [
          [0.1, 0.2],
          [0.2, 0.2],
          [0.3, 0.2],
        ],
      },
    ],
  ]);
});

test('2§4 free-draw: a second finger, Escape and undo cancel the current line', () => {
  for (const way of ['cancel', 'discard', 'undoStep'] as const) {
    const { log, made } = host();
    const pen = createPenTool(made);
    pen.down(0.1, 0.2);
    const said = pen[way]();
    pen.up();
    expect(log).toEqual([['draw', 0.1, 0.2], ['giveUp']]);
    if (way === 'undoStep') expect(said).toBe(true);
  }
  expect(createPenTool(host().made).undoStep()).toBe(false);
});
