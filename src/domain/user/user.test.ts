import { describe, expect, it } from 'vitest';
import type { OpId, PersonId, Sha256 } from '../ids';
import { fold } from '../fold/fold';
import { project } from '../fold/project';
import { draftEdit, draftFirst, sealOp, documentStateOf } from '../op/draft';
import { parseOp } from '../op/op';
import { readRecord } from '../record';
import { canSignUp, userProblems } from './rules';
import { initialDomains, needsName, newProfile, readUser, statedFields, USER } from './user';

const uid = 'Person0000000001' as PersonId;

describe('1§3 user: one schema reads every shape and writes one', () => {
  const expected = {
    uid,
    email: 'ana@example.org',
    name: { first: 'Ana', last: 'de la Cruz' },
    admin: true,
    isExpert: false,
    domains: ['reefwatch'],
    optin: true,
  };

  it('1§3 a flat user with a string name is read', () => {
    expect(
      readUser(
        { uid, email: 'ana@example.org', name: ' Ana  de la Cruz ', admin: true, domains: ['reefwatch'] },
        'record',
      ),
    ).toMatchObject(expected);
  });

  it('3§3 a user nested under data is read with place and count', () => {
    const value = {
      uid,
      email: 'ana@example.org',
      name: { first: 'Ana', last: 'de la Cruz' },
      data: {
        admin: true,
        isExpert: false,
        domains: ['reefwatch'],
        loc: { country: 'Australia' },
        meta: { analysis: { total: 12 } },
        medals: 2,
      },
    };
    expect(readUser(value, 'record')).toMatchObject({
      ...expected,
      loc: { country: 'Australia' },
      meta: { analysis: { total: 12 } },
      data: { medals: 2 },
    });
  });

  it('2§3 a profile is read with place, organisation, opt-in and extra fields', () => {
    const value = {
      uid,
      name: { first: 'Ana', last: 'de la Cruz' },
      email: 'ana@example.org',
      optin: false,
      org: { handle: 'crew', name: 'Crew' },
      loc: 'Cairns',
      additionalInfo: { f1: { fieldId: 'f1', fieldLabel: 'School' } },
    };
    expect(readUser(value, 'document')).toMatchObject({
      optin: false,
      org: { handle: 'crew' },
      loc: { value: 'Cairns', name: 'Cairns' },
      additionalInfo: { f1: { fieldId: 'f1' } },
      admin: false,
    });
  });

  it('2§3 a missing name becomes "Anonymous"; an empty first name stays empty', () => {
    expect(readUser({ uid }, 'document').name).toEqual({ first: 'Anonymous', last: '' });
    expect(needsName(readUser({ uid }, 'document'))).toBe(true);
    expect(readUser({ uid, name: { last: 'Lee' } }, 'document').name).toEqual({ first: '', last: 'Lee' });
    expect(needsName(readUser({ uid, name: 'Ana' }, 'document'))).toBe(false);
  });

  it('1§6 document roles count only where the server set them', () => {
    const op = parseOp(
      sealOp(
        draftFirst(
          'profile',
          { uid, name: 'Mal', admin: true, data: { admin: true, isExpert: true, domains: ['x'] } },
          { madeAt: '2026-11-20T00:00:01.000Z', schema: 1 },
        ),
        'DeviceAAAAAAAAAA-1' as OpId,
        '0'.repeat(64) as Sha256,
      ),
    );
    const { doc } = project('profile', uid, [op], {}) ?? { doc: {} };
    expect(readUser(doc, 'document')).toMatchObject({ admin: false, isExpert: false, verified: false, domains: [] });
    expect(readRecord(USER, doc)).toMatchObject({ status: 'ready', record: { admin: false, domains: [] } });
    expect(readUser({ uid, admin: 'no', domains: 'x' }, 'record')).toMatchObject({ admin: false, domains: [] });
  });

  it('1§3, 2§9 a new profile opts in, has no server field and passes as the body of an operation', () => {
    const body = newProfile({ uid, email: ' ana@example.org ', name: { first: 'Ana ', last: '' }, pending: true });
    for (const field of ['admin', 'isExpert', 'verified', 'domains', 'since', 'lastLoginAt', 'isEmailVerified'])
      expect(body).not.toHaveProperty(field);
    const op = parseOp(
      sealOp(
        draftFirst('profile', body, { madeAt: '2026-11-20T00:00:01.000Z', schema: 1 }),
        'DeviceAAAAAAAAAA-1' as OpId,
        '0'.repeat(64) as Sha256,
      ),
    );
    expect(op.docId).toBe(uid);
    expect(readUser(body, 'document')).toMatchObject({
      email: 'ana@example.org',
      name: { first: 'Ana', last: '' },
      optin: true,
      pending: true,
    });
  });

  it('1§3, 1§4 two tablets that create one profile conflict only where values differ', () => {
    const first = (given: Partial<Parameters<typeof newProfile>[0]>, device: string) =>
      parseOp(
        sealOp(
          draftFirst(
            'profile',
            newProfile({ uid, email: 'ana@example.org', name: { first: 'Ana', last: 'Lee' }, ...given }),
            { madeAt: '2026-11-20T00:00:01.000Z', schema: 1 },
          ),
          `${device}-1` as OpId,
          '0'.repeat(64) as Sha256,
        ),
      );
    const said = {
      loc: { value: 'Cairns', name: 'Cairns' },
      org: { handle: 'crew' },
      optin: false,
      additionalInfo: { f1: 'x' },
    };
    // Either operation may come later in fold order.
    for (const [one, other] of [
      ['DeviceAAAAAAAAAA', 'DeviceBBBBBBBBBB'],
      ['DeviceBBBBBBBBBB', 'DeviceAAAAAAAAAA'],
    ] as const) {
      const folded = fold([first(said, one), first({}, other)]);
      expect(folded.conflicts).toEqual([]);
      expect(readUser({ ...folded.doc, uid }, 'document')).toMatchObject(said);
    }
    expect(
      fold([
        first(said, 'DeviceAAAAAAAAAA'),
        first({ loc: { value: 'Suva', name: 'Suva' } }, 'DeviceBBBBBBBBBB'),
      ]).conflicts.map(({ field }) => field),
    ).toEqual(['loc']);
    // The form submits every field each time; defaults are not written, and values can be cleared.
    const seen = documentStateOf('profile', uid, [first({ loc: said.loc }, 'DeviceAAAAAAAAAA')]);
    const form = { name: { first: 'Ana', last: 'Lee' }, loc: null, org: null, optin: true, additionalInfo: {} };
    expect(
      draftEdit(seen, statedFields(form, seen.folded.doc), { madeAt: '2026-11-20T00:00:02.000Z', schema: 1 })?.over,
    ).toEqual({ loc: ['DeviceAAAAAAAAAA-1'] });
  });

  it('1§3 a record is rewritten in one shape and reads the same again', () => {
    const once = readUser({ uid, name: 'Ana Lee', loc: 'Cairns', org: 'crew', data: { admin: true } }, 'record');
    expect(readUser(once, 'record')).toEqual(once);
  });

  it('1§3 the first domains derive from the email domain', () => {
    expect(initialDomains('Ana@Example.ORG ')).toEqual(['example.org']);
    expect(initialDomains('not an address')).toEqual([]);
  });
});

describe('1§5 user rules', () => {
  it.each([
    [uid, { name: { first: 'Ana' }, email: 'a@b.c' }, []],
    ['', undefined, ['User ID is required', 'User data is required']],
    [uid, null, ['User data is required']],
    [uid, { name: { first: ' ', last: 'Lee' } }, ['First name is required']],
    [uid, { name: { first: '\u200b\u2060 \u3164' } }, ['First name is required']],
    [uid, { name: 'Ana', email: 'nobody' }, ['Email is invalid']],
    [uid, { name: {}, email: 7 }, ['First name is required', 'Email is invalid']],
  ])('1§5 %j %j: %j', (id, data, problems) => {
    expect(userProblems(id, data)).toEqual(problems);
  });

  it('2§5 sign-up needs a first name and an address that matches the loose pattern', () => {
    expect(canSignUp({ firstName: 'Ana', email: ' a@b.c ' })).toBe(true);
    for (const firstName of [' ', '\u200b', '\u202e\u00ad', '\u2800\u3164']) {
      expect(canSignUp({ firstName, email: 'a@b.c' })).toBe(false);
      expect(needsName({ name: { first: firstName, last: 'Lee' } })).toBe(true);
    }
    for (const firstName of ['王', '👩‍🔬', 'می‌خواهم', 'O’Neill'])
      expect(canSignUp({ firstName, email: 'a@b.c' })).toBe(true);
    expect(canSignUp({ firstName: 'Ana', email: 'a@b' })).toBe(false);
  });
});
