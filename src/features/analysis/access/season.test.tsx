import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { isClosedFor } from './season';

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { readonly to: string; readonly children: ReactNode }) => <a href={to}>{children}</a>,
}));

test('2§2, 2§6 a closed season excludes non-experts, and an open season excludes no one', () => {
  expect(isClosedFor({ isExpert: false }, 'closed')).toBe(true);
  expect(isClosedFor({ isExpert: true }, 'closed')).toBe(false);
  expect(isClosedFor(null, 'closed')).toBe(false);
  expect(isClosedFor({ isExpert: false }, undefined)).toBe(false);
  expect(isClosedFor({ isExpert: false }, 'open')).toBe(false);
});

test('2§2 the notice names February and links to the sign-up', async () => {
  // Another file of this process may have loaded the notice with the real router.
  vi.resetModules();
  const { ClosedSeason } = await import('./ClosedSeason');
  const shown = renderToStaticMarkup(<ClosedSeason />);
  expect(shown).toMatch(/Mark your calendar for February/);
  expect(shown).toContain('<a href="/signup">Sign up to be notified</a>');
  expect(shown).not.toMatch(/Get Started|Start with/);
});
