import { expect, test } from 'vitest';
import { categoryClass } from '../../../domain/analysis/free-draw/categories';
import { coverOf, formatCover, savedWork, percentToGo } from './cover';

const counts = (px: Readonly<Record<number, number>>): Uint32Array => {
  const all = new Uint32Array(256);
  for (const [label, count] of Object.entries(px)) all[Number(label)] = count;
  return all;
};
const label = (id: string, mod?: string): number => categoryClass(id, mod)!.label;

test('2§4, 2§9 free-draw: a picture is complete from 0.95 on, and the rounded text never earlier', () => {
  const almost = coverOf(counts({ 0: 501, [label('reef_softcoral')]: 9499 }));
  expect(almost.isComplete).toBe(false);
  expect(formatCover(almost.progress)).toBe('94%');
  expect(percentToGo(almost.progress)).toBe(1);
  const done = coverOf(counts({ 0: 500, [label('reef_softcoral')]: 9500 }));
  expect(done.isComplete).toBe(true);
  expect(percentToGo(done.progress)).toBe(0);
  expect(formatCover(0.003)).toBe('<1%');
});

test('2§4 free-draw: a type shows the cover of all its states', () => {
  const { byType } = coverOf(
    counts({ 0: 70, [label('reef_softcoral', 'live')]: 20, [label('reef_softcoral', 'dead')]: 10 }),
  );
  expect(byType.get('reef_softcoral')).toBeCloseTo(0.3);
});

test('2§4 free-draw: a flagged picture is complete', () => {
  const flagged = coverOf(counts({ [label('flag_focus')]: 100 }));
  expect(flagged).toMatchObject({ progress: 1, isComplete: true, flag: { type: { id: 'flag_focus' } } });
  expect(coverOf(null).progress).toBe(0);
});

test('2§4 free-draw: a flagged picture saves only its flag, covering everything', () => {
  const flag = categoryClass('flag_focus')!;
  const half = counts({ 0: 50, [flag.label]: 40, [label('reef_softcoral')]: 10 });
  const stats = {
    coverage: 1,
    categories: [{ id: 'flag_focus', label: flag.type.label, path: flag.type.path, coverage: 1 }],
  };
  const soft = { kind: 'stroke', since: 9, paints: categoryClass('reef_softcoral')!, points: [] } as const;
  expect(savedWork([soft, { kind: 'zap', since: 5, paints: flag }, { ...soft, paints: 'erase' }], half)).toEqual({
    marks: [{ kind: 'zap', since: 5, paints: flag }],
    stats,
  });
  // Flag stored as a line, as in another app's record.
  expect(savedWork([{ ...soft, since: 7, paints: flag }, soft], half)).toEqual({
    marks: [{ kind: 'zap', since: 7, paints: flag }],
    stats,
  });
});
