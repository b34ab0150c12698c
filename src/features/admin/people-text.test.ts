import { expect, test } from 'vitest';
import { lastSignInText, linkedHandles, roleNames } from './people-text';

const NONE = { verified: false, isExpert: false, admin: false, staff: false, disabled: false };

test('1§5 a row names the roles, highest first, and a disabled account as that alone', () => {
  expect(roleNames(NONE)).toEqual([]);
  expect(roleNames({ ...NONE, verified: true, isExpert: true, staff: true })).toEqual(['Staff', 'Expert', 'Verified']);
  expect(roleNames({ ...NONE, admin: true, disabled: true })).toEqual(['Disabled']);
});

test('1§5 the domain of a person’s own address is no handle', () => {
  const domains = ['example.org', 'reefweek', 'other.org'];
  expect(linkedHandles({ email: 'ana@Example.org', domains })).toEqual(['reefweek', 'other.org']);
  expect(linkedHandles({ email: '', domains: [] })).toEqual([]);
});

test('1§5 a sign-in is of today, yesterday or a day, by the calendar', () => {
  const now = new Date(2026, 10, 24, 0, 5).getTime();
  const text = (...at: [number, number, number, number]) =>
    lastSignInText({ lastLoginAt: new Date(...at).toISOString() }, now);
  expect(text(2026, 10, 24, 0)).toBe('Last sign-in today');
  expect(text(2026, 10, 23, 23)).toBe('Last sign-in yesterday');
  expect(text(2026, 10, 23, 0)).toBe('Last sign-in yesterday');
  expect(text(2026, 10, 22, 23)).toBe('Last sign-in 22 Nov 2026');
  expect(lastSignInText({ lastLoginAt: null }, now)).toBe('No sign-in known');
});
