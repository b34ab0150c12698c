import { describe, expect, it } from 'vitest';
import vectors from '../../../tests/fixtures/protocol-v1.json';
import { ReefError } from '../errors';
import type { Op } from './op';
import { parseOp } from './op';
import { foldableBody } from './server-owned';

const good = {
  v: 1,
  opId: 'DeviceAAAAAAAAAA-2',
  kind: 'survey',
  docId: 'Survey0000000001',
  by: 'Person0000000001',
  lc: 2,
  over: { name: ['DeviceAAAAAAAAAA-1'] },
  madeAt: '2026-11-20T00:00:02.000Z',
  schema: 1,
  body: { id: 'Survey0000000001', name: 'North' },
  sha256: 'a'.repeat(64),
};

function fieldOf(value: unknown): unknown {
  try {
    parseOp(value);
  } catch (error) {
    if (error instanceof ReefError && error.code === 'bad-message') return error.details['field'];
    throw error;
  }
  return 'taken';
}

describe('protocol: the envelope of an operation', () => {
  it('protocol: an operation is returned unchanged, members of a newer version included', () => {
    const newer = { ...good, colour: { hue: 3 } };
    expect(parseOp(newer)).toBe(newer);
  });

  it('protocol: by, lc and over may be absent, and a profile is identified by uid', () => {
    const { by: _by, lc: _lc, over: _over, ...least } = good;
    expect(fieldOf(least)).toBe('taken');
    expect(fieldOf({ ...least, kind: 'profile', docId: 'Person0000000001', body: { uid: 'Person0000000001' } })).toBe(
      'taken',
    );
  });

  it.each(vectors.fold.flatMap(({ ops }) => ops as unknown as Op[]).map((op) => [op.opId, op] as const))(
    'protocol vectors: %s is accepted',
    (_id, op) => {
      const uid = op.kind === 'profile' ? { uid: op.docId } : {};
      expect(fieldOf({ ...op, body: { ...op.body, ...uid } })).toBe('taken');
    },
  );

  it.each([
    ['no object', 'x', 'op'],
    ['a list', [], 'op'],
    ['a future version', { ...good, v: 2 }, 'op.v'],
    ['an unknown kind', { ...good, kind: 'poem' }, 'op.kind'],
    ['an id of a path', { ...good, docId: '../../etc/passwd' }, 'op.docId'],
    ['an operation id without its number', { ...good, opId: 'DeviceAAAAAAAAAA' }, 'op.opId'],
    ['lc of nought', { ...good, lc: 0 }, 'op.lc'],
    ['lc as a text', { ...good, lc: '2' }, 'op.lc'],
    ['lc of a half', { ...good, lc: 1.5 }, 'op.lc'],
    ['a time with a zone', { ...good, madeAt: '2026-11-20T00:00:02.000+10:00' }, 'op.madeAt'],
    ['a time without milliseconds', { ...good, madeAt: '2026-11-20T00:00:02Z' }, 'op.madeAt'],
    ['a time that does not exist', { ...good, madeAt: '2026-13-40T00:00:02.000Z' }, 'op.madeAt'],
    ['a schema of nought', { ...good, schema: 0 }, 'op.schema'],
    ['a body that is a list', { ...good, body: [] }, 'op.body'],
    ['a hash in capitals', { ...good, sha256: 'A'.repeat(64) }, 'op.sha256'],
    ['another id in the body', { ...good, body: { id: 'Survey0000000002', name: 'x' } }, 'op.docId'],
    ['over a field that the body does not set', { ...good, over: { depth: [] } }, 'op.over'],
    ['over an inherited name', { ...good, over: { toString: [] } }, 'op.over'],
    ['over itself', { ...good, over: { name: ['DeviceAAAAAAAAAA-2'] } }, 'op.over'],
    ['over with an invalid operation id', { ...good, over: { name: ['x'] } }, 'op.over.name.0'],
    ['an analysis over a member of it', { ...good, kind: 'analysis', over: { name: [] } }, 'op.over'],
    ['a key __proto__', { ...good, body: JSON.parse('{"id":"Survey0000000001","__proto__":{}}') }, 'op.body'],
  ])('protocol: bad-message for %s, and where', (_name, value, field) => {
    expect(fieldOf(value)).toBe(field);
  });

  it('protocol: server-owned fields are left out of the fold, their containers stay', () => {
    expect(
      foldableBody('survey', {
        id: 'x',
        priority: 5,
        datasets: [],
        meta: { images: { total: 3 }, note: 'n' },
        name: 'N',
      }),
    ).toEqual({ meta: { note: 'n' }, name: 'N' });
    expect(
      foldableBody('image', {
        id: 'x',
        token: 't',
        url: 'u',
        seed: 1,
        ml: true,
        color_corrected: {},
        meta: { analysis: {}, analysis_expert: {}, taken: 't' },
      }),
    ).toEqual({ meta: { taken: 't' } });
    expect(
      foldableBody('profile', {
        uid: 'x',
        admin: true,
        isExpert: true,
        verified: true,
        domains: [],
        isEmailVerified: true,
        lastLoginAt: '',
        since: '',
        name: 'N',
      }),
    ).toEqual({ name: 'N' });
    expect(foldableBody('image', { meta: { analysis: { total: 1 } } })).toEqual({ meta: {} });
    expect(foldableBody('survey', { meta: 'odd' })).toEqual({ meta: 'odd' });
  });
});
