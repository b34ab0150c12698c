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
    ['their own, by whichever id', survey('ana'), [true, false, false, false]],
    ['another person’s', survey('ben', 'ben'), [false, true, false, false]],
    ['another person’s in which they write', survey('ben', 'ben', 'ana'), [true, true, false, false]],
    ['of somebody without an address', survey('anon'), [false, false, true, false]],
    ['of the crew, who never were here', survey('tom', 'tom'), [true, true, true, true]],
    ['of nobody', survey(null), [true, true, true, true]],
  ])('a survey that is %s', (_whose, people, seen) => {
    expect([ana, ben, anon, nobody].map((viewer) => canSeeSurvey(viewer, people))).toEqual(seen);
  });

  it('a tablet that one person uses hides nothing of them, nor of the crew', () => {
    const alone = viewerOf({ uid: 'ana', email: 'ana@example.org' }, { ana: 'ana@example.org' });
    expect([survey('ana'), survey('tom'), survey(null)].map((people) => canSeeSurvey(alone, people))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('what belongs to one person: own, of another person of this tablet, of the crew', () => {
    expect(
      [ana, nobody].map((viewer) => ['ana', 'ben', 'tom', null].map((owner) => accessToOwned(viewer, owner))),
    ).toEqual([
      ['own', 'not', 'shared', 'shared'],
      ['not', 'not', 'shared', 'shared'],
    ]);
  });
});
