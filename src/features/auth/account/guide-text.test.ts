import { expect, it } from 'vitest';
import { GUIDES } from './guide-text';

it('the guide has five pictures and one sentence each, for deck, volunteer and staff', () => {
  const guides = Object.values(GUIDES);
  expect(guides.map((steps) => steps.length)).toEqual([5, 5, 5]);
  const steps = guides.flat();
  expect(new Set(steps.map(({ picture }) => picture)).size).toBe(15);
  for (const { text } of steps) expect(text, text).toMatch(/^[A-Z][^.]*\.$/);
});
