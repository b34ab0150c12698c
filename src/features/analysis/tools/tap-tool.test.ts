import { describe, expect, test } from 'vitest';
import { RING, noted, settled, tap } from '../../../../tests/support/area-tool-host';
import type { FoundArea } from '../../../workers/outline/outline.api';
import { createTapTool, TAP_MESSAGES } from './tap-tool';

describe('2§4 tap to fill', () => {
  const HOLE = [
    Float64Array.of(0.2, 0.2, 0.6, 0.2, 0.6, 0.7, 0.2, 0.7),
    Float64Array.of(0.3, 0.3, 0.3, 0.5, 0.5, 0.5, 0.5, 0.3),
  ];
  const finder = () => {
    const asked: { readonly by: number; readonly answer: (found: FoundArea) => void; readonly fail: () => void }[] = [];
    const area = (_x: number, _y: number, by: number): Promise<FoundArea> =>
      new Promise((resolve, reject) =>
        asked.push({ by, answer: resolve, fail: () => reject(new Error('The worker crashed.')) }),
      );
    return { area, asked };
  };

  test('a found area is painted with its holes, before or after the finger lifts', async () => {
    for (const isLate of [false, true]) {
      const { host, made, shown } = noted();
      const { area, asked } = finder();
      const tool = createTapTool(host, { area });
      tool.down(0.4, 0.25);
      if (isLate) tool.up();
      asked[0]?.answer({ state: 'found', rings: HOLE, part: 0.1 });
      await settled();
      if (!isLate) {
        expect(made).toEqual([]);
        expect(shown()?.line).toHaveLength(5);
        tool.up();
      }
      expect(made).toEqual([
        [
          RING,
          [
            [0.3, 0.3],
            [0.3, 0.5],
            [0.5, 0.5],
            [0.5, 0.3],
            [0.3, 0.3],
          ],
        ],
      ]);
      expect(shown()).toBeNull();
    }
  });

  test('a drag right or up takes in more, left or down less, and only the latest drag counts', async () => {
    const { host, made } = noted();
    const { area, asked } = finder();
    const tool = createTapTool(host, { area });
    tool.down(0.4, 0.4);
    tool.move(Float64Array.of(0.405, 0.4));
    tool.move(Float64Array.of(0.45, 0.4));
    tool.move(Float64Array.of(0.4, 0.3));
    asked[0]?.answer({ state: 'everything' });
    await settled();
    tool.move(Float64Array.of(0.3, 0.4));
    tool.up();
    asked[1]?.answer({ state: 'everything' });
    await settled();
    asked[2]?.answer({ state: 'found', rings: HOLE, part: 0.1 });
    await settled();
    expect(asked.map(({ by }) => by)).toEqual([0, 30, -30]);
    expect(made).toHaveLength(1);
  });

  test('reports why nothing was painted', async () => {
    const answers: readonly (readonly [FoundArea, string])[] = [
      [{ state: 'nothing' }, TAP_MESSAGES.nothing],
      [{ state: 'everything' }, TAP_MESSAGES.everything],
      [{ state: 'no-picture' }, TAP_MESSAGES.unready],
      [
        { state: 'found', rings: [Float64Array.of(0.1, 0.1, 0.10001, 0.1, 0.1, 0.1)], part: 0.001 },
        TAP_MESSAGES.nothing,
      ],
    ];
    const { host, made, said } = noted();
    const { area, asked } = finder();
    const tool = createTapTool(host, { area });
    for (const [found, words] of answers) {
      tap(tool, 0.5, 0.5);
      asked.at(-1)?.answer(found);
      await settled();
      expect(said.at(-1)).toBe(words);
    }
    tap(tool, 0.5, 0.5);
    asked.at(-1)?.fail();
    await settled();
    expect(said.at(-1)).toBe(TAP_MESSAGES.failed);
    expect(made).toEqual([]);
  });

  test('a cancelled fill paints no late result', async () => {
    const { host, made, shown } = noted();
    const { area, asked } = finder();
    const tool = createTapTool(host, { area });
    tool.down(0.4, 0.4);
    expect(tool.undoStep()).toBe(true);
    asked[0]?.answer({ state: 'found', rings: HOLE, part: 0.1 });
    await settled();
    tool.up();
    expect(tool.undoStep()).toBe(false);
    expect(made).toEqual([]);
    expect(shown()).toBeNull();
  });

  test('the next fill does not paint the result of a cancelled one', async () => {
    const { host, made, said } = noted();
    const { area, asked } = finder();
    const tool = createTapTool(host, { area });
    tool.down(0.4, 0.4);
    tool.discard();
    tap(tool, 0.8, 0.8);
    asked[0]?.answer({ state: 'found', rings: HOLE, part: 0.1 });
    await settled();
    expect(made).toEqual([]);
    asked[1]?.answer({ state: 'nothing' });
    await settled();
    expect(made).toEqual([]);
    expect(said).toEqual([TAP_MESSAGES.nothing]);
  });
});
