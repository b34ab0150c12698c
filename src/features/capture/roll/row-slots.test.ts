import { expect, test } from 'vitest';
import { RowSlots } from './row-slots';

const rows = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

test('3§3 capture: a row that scrolls in reuses the slot of one that left', () => {
  const slots = new RowSlots();
  const before = slots.arrange(rows(0, 8), true);
  const after = slots.arrange(rows(1, 8), true);
  expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  expect(after.map(({ row }) => row)).toEqual([8, 1, 2, 3, 4, 5, 6, 7]);
});

test('3§3 capture: rows take their slots in order at first view', () => {
  const slots = new RowSlots();
  slots.arrange(rows(0, 4), true);
  slots.arrange(rows(2, 4), true);
  const settled = slots.arrange(rows(2, 4), false);
  expect(settled.map(({ row }) => row)).toEqual([2, 3, 4, 5]);
  expect(new Set(settled.map(({ key }) => key)).size).toBe(4);
});

test('3§3 capture: one row more or less rebuilds nothing, and a smaller screen frees slots', () => {
  const slots = new RowSlots();
  const keys = slots.arrange(rows(0, 9), true).map(({ key }) => key);
  expect(slots.arrange(rows(1, 8), true).map(({ key }) => key)).toEqual(keys);
  expect(slots.arrange(rows(1, 9), true).map(({ key }) => key)).toEqual(keys);
  expect(slots.arrange(rows(20, 3), true)).toHaveLength(5);
  expect(slots.arrange(rows(40, 3), false).filter(({ row }) => row >= 40)).toHaveLength(3);
});

test('3§3 capture: every row has one slot after any scrolling', () => {
  const slots = new RowSlots();
  for (const from of [0, 3, 100, 97, 96, 400, 1]) {
    const now = slots.arrange(rows(from, 7), true);
    for (const row of rows(from, 7)) expect(now.filter((slot) => slot.row === row)).toHaveLength(1);
    expect(slots.arrange(rows(from, 7), true)).toEqual(now);
  }
});
