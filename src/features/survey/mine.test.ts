import { expect, it } from 'vitest';
import type { Person, SurveyView } from '../../data/repositories';
import type { PersonId } from '../../domain/ids';
import { mineOf } from './mine';

const survey = (id: string, person: string | null) => ({ id, person }) as SurveyView;
const person = (uid: string, email: string): Person => ({ uid: uid as PersonId, email, name: { first: 'A', last: '' }, org: null, pending: false });
const all = [survey('mine', 'ana'), survey('mine-ashore', 'ana-2'), survey('bens', 'ben'), survey('of-the-crew', 'tom'), survey('nobodys', null), survey('nameless', 'anon')];
const known = { ana: 'Ana@example.org', 'ana-2': 'ana@example.org', ben: 'ben@example.org', anon: '' };
const ids = (who: Person | null) => mineOf(all, who, known).map(({ id }) => id);

it('1§6 several people on one tablet: each sees their own, by whichever id, and what the box shares', () => {
  expect(ids(person('ana-2', 'ana@example.org'))).toEqual(['mine', 'mine-ashore', 'of-the-crew', 'nobodys']);
  expect(ids(person('ben', 'ben@example.org'))).toEqual(['bens', 'of-the-crew', 'nobodys']);
  expect(ids(person('anon', ''))).toEqual(['of-the-crew', 'nobodys', 'nameless']);
});

it('1§6 nobody at the tablet sees none of those who were; a tablet that nobody else used shows the same list, not a copy', () => {
  expect(ids(null)).toEqual(['of-the-crew', 'nobodys']);
  expect(mineOf(all, null, {})).toBe(all);
});
