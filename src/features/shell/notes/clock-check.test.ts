import { expect, it } from 'vitest';
import { clockFault } from './clock-check';

it.each([
  ['1970-01-01', 'behind'],
  ['2026-11-10', 'behind'],
  ['2026-11-21', null],
  ['2031-01-01', null],
  ['2099-01-01', 'ahead'],
] as const)('a tablet clock at %s is %s', (day, fault) => {
  expect(clockFault(Date.parse(day))).toBe(fault);
});
