import { describe, expect, it } from 'vitest';
import { accessToOwned, canSeeSurvey, viewerOf } from './access-policy';

const HERE = { ana: 'Ana@example.org', 'ana-2': 'ana@example.org', ben: 'ben@example.org', anon: '' };
const ana = viewerOf({ uid: 'ana-2', email: 'ana@example.org' }, HERE);
const ben = viewerOf({ uid: 'ben', email: 'ben@example.org' }, HERE);
const anon = viewerOf({ uid: 'anon', email: '' }, HERE);
const nobody = viewerOf(null, HERE);
const survey = (owner: string | null, ...participants: string[]) => ({
  owners: new Set(owner === null ? [] : [owner]),
  participants: new Set(participants),
});

describe('1§6 several people on one tablet', () => {
  it('identifies a person by address, or by id without one', () => {
    expect(ana).toEqual({ ownIds: new Set(['ana-2', 'ana']), others: new Set(['ben', 'anon']) });
    expect(anon).toEqual({ ownIds: new Set(['anon']), others: new Set(['ana', 'ana-2', 'ben']) });
    expect(nobody).toEqual({ ownIds: new Set(), others: new Set(['ana', 'ana-2', 'ben', 'anon']) });
  });

  it.each([
    ['their own, by any of their ids', survey('ana'), [true, false, false, false]],
    ['another person’s', survey('ben', 'ben'), [false, true, false, false]],
    ['another person’s with their own writes', survey('ben', 'ben', 'ana'), [true, true, false, false]],
    ['of a person without an address', survey('anon'), [false, false, true, false]],
    ['of crew members new to this tablet', survey('tom', 'tom'), [true, true, true, true]],
    ['of no one', survey(null), [true, true, true, true]],
  ])('a survey that is %s', (_whose, people, seen) => {
    expect([ana, ben, anon, nobody].map((viewer) => canSeeSurvey(viewer, people))).toEqual(seen);
  });

  it('a tablet with one user hides nothing from them', () => {
    const alone = viewerOf({ uid: 'ana', email: 'ana@example.org' }, { ana: 'ana@example.org' });
    expect([survey('ana'), survey('tom'), survey(null)].map((people) => canSeeSurvey(alone, people))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('owned data is own, hidden if of another user of this tablet, or shared if of the crew', () => {
    expect(
      [ana, nobody].map((viewer) => ['ana', 'ben', 'tom', null].map((owner) => accessToOwned(viewer, owner))),
    ).toEqual([
      ['own', 'not', 'shared', 'shared'],
      ['not', 'not', 'shared', 'shared'],
    ]);
  });
});
