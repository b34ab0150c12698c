import { expect, it } from 'vitest';
import { mayPrompt } from './name-prompt';

const FRESH = { path: '/surveys', wasAsked: false, hasDeclined: false };

it('3§4 the profile form opens unasked once a session, and not after it was declined', () => {
  expect(mayPrompt(FRESH)).toBe(true);
  expect(mayPrompt({ ...FRESH, wasAsked: true })).toBe(false);
  expect(mayPrompt({ ...FRESH, hasDeclined: true })).toBe(false);
});

it('3§4 the profile form opens over neither training nor the accounts, and each time on the dashboard', () => {
  expect(mayPrompt({ ...FRESH, path: '/analysis/training' })).toBe(false);
  expect(mayPrompt({ ...FRESH, path: '/admin' })).toBe(false);
  expect(mayPrompt({ path: '/dashboard', wasAsked: true, hasDeclined: true })).toBe(true);
});
