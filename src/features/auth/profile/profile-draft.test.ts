import { describe, expect, it } from 'vitest';
import type { PersonId } from '../../../domain/ids';
import { draftFromProfile, draftProblems, factsFromDraft } from './profile-draft';

const uid = 'Person0000000001' as PersonId;
const person = { uid, name: { first: 'Ana', last: 'Lee' }, email: 'ana@example.org', org: null, pending: false };
const mine = {
  uid,
  email: 'ana@example.org',
  name: person.name,
  loc: null,
  org: null,
  optin: false,
  additionalInfo: {
    old: { fieldId: 'old', fieldLabel: 'Old', value: 'kept' },
    school: { fieldId: 'school', fieldLabel: 'School', value: 'Reef High' },
  },
};
const fields = [
  { id: 'school', label: 'Your school', required: true },
  { id: 'boat', label: 'Boat', required: false },
];

describe('2§5 the profile form', () => {
  it('2§3 "Anonymous" does not count as a name, so the form begins empty', () => {
    expect(draftFromProfile({ ...person, name: { first: 'Anonymous', last: '' } }, undefined)).toEqual({
      name: { first: '', last: '' },
      loc: null,
      org: null,
      optin: true,
      extra: {},
    });
    expect(draftFromProfile(person, mine)).toMatchObject({
      name: person.name,
      optin: false,
      extra: { school: 'Reef High' },
    });
  });

  it('2§5 a name and the required extra fields are mandatory', () => {
    const draft = draftFromProfile(person, undefined);
    expect(draftProblems({ ...draft, name: { first: ' ', last: 'Lee' } }, fields)).toEqual({
      name: 'Please provide a name',
      'extra.school': 'Please provide a value',
    });
    expect(draftProblems({ ...draft, extra: { school: 'x' } }, fields)).toEqual({});
  });

  it('2§3 extra fields are stored by id with their label; removed ones stay', () => {
    const draft = draftFromProfile(person, mine);
    expect(factsFromDraft({ ...draft, extra: { ...draft.extra, school: ' New ', boat: ' ' } }, fields, mine)).toEqual({
      name: person.name,
      loc: null,
      org: null,
      optin: false,
      additionalInfo: {
        old: mine.additionalInfo.old,
        school: { fieldId: 'school', fieldLabel: 'Your school', value: 'New' },
      },
    });
  });
});
