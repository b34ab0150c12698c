import { expect, it } from 'vitest';
import { ReefError } from '../../../domain/errors';
import { contentNote, shareText, viewFailedText } from './viewed-text';

it('2§8 a damaged analysis and one of an unknown version are named, with what is safe', () => {
  expect(contentNote({ kind: 'broken' }, 3)?.title).toBe('This analysis cannot be read');
  expect(contentNote({ kind: 'other-version' }, 9.5)?.title).toBe('Version 9.5 is not known here');
  expect(contentNote({ kind: 'other-version' }, null)?.title).toBe('This analysis has no version');
  for (const kind of ['broken', 'other-version'] as const)
    expect(contentNote({ kind }, 3)?.text).toMatch(/It stays unchanged/);
});

it('2§8 marks of unknown categories are counted', () => {
  const traces = { kind: 'free-draw', version: 3, marks: [], size: null, stats: null } as const;
  expect(contentNote({ ...traces, unknown: 0 }, 3)).toBeNull();
  expect(contentNote({ ...traces, unknown: 1 }, 3)?.title).toBe('One mark is not shown');
  expect(contentNote({ ...traces, unknown: 4 }, 3)?.title).toBe('4 marks are not shown');
});

it('2§8 an analysis that is not on this tablet has a way on', () => {
  expect(viewFailedText(new ReefError('not-found')).text).toMatch(/Connect to the box or the shore/);
  expect(viewFailedText(new Error('x')).text).toMatch(/Open it again/);
  expect([0, 0.004, 0.126, 1].map(shareText)).toEqual(['0%', 'under 1%', '13%', '100%']);
});
