import { expect, it } from 'vitest';
import { detailsText, logText } from './log-text';

it('1§9 the log history exports as text', () => {
  const text = logText(
    [{ at: '2026-11-21T03:00:00.000Z', level: 'warn', message: 'The box went away.', details: { tries: 2 } }],
    { version: '0.1.0' },
  );
  expect(text).toBe('version: 0.1.0\n\n2026-11-21T03:00:00.000Z warn The box went away. {"tries":2}\n');
});

it('1§9 details of an entry are read as text, without code', () => {
  expect(detailsText({ error: 'no way', tries: 2, seen: [1, null], at: { place: 'box' } })).toBe(
    'error: no way, tries: 2, seen: 1, none, at: place: box',
  );
  expect(detailsText({ long: 'x'.repeat(900) })).toHaveLength(400);
});
