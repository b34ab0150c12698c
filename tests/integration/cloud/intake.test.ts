import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkReceiptMatches, checkReceiptSignature } from '../../../src/protocol/receipt';
import type { Receipt } from '../../../src/protocol/receipt';
import { verifySignature } from '../../../src/server/ops/receipt-signer';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { imageOp, makeOp, newId, photograph, sha256, surveyOp } from '../../support/servers/edge-client';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const NODE = 'Box0000000000001';
let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startCloud();
});
afterAll(() => cloud.close());

/** Receipt for an operation, once it is in the feed. */
async function receiptOf(opId: string): Promise<Receipt> {
  for (;;) {
    const { entries } = await cloud.changes();
    const found = entries.find(({ receipt }) => receipt?.opId === opId)?.receipt;
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('protocol, Cloud HTTP: operations', () => {
  it('protocol: a survey is receipted under a published key, and a retry returns the same', async () => {
    const survey = surveyOp();
    const [first] = await cloud.ops([survey], NODE);
    const receipt = (first as { receipt: Receipt }).receipt;
    expect(receipt).toMatchObject({ stage: 'cloud', accepted: true, opId: survey.opId });
    const { body } = await cloud.get<{ keys: never[] }>('/api/keys', null);
    await checkReceiptSignature(receipt, body.keys, verifySignature);
    expect(await cloud.ops([survey], NODE)).toEqual([{ opId: survey.opId, receipt }]);
  });

  it('protocol: a photograph record waits for its bytes, then its receipt is in the feed', async () => {
    const survey = surveyOp();
    const content = photograph(300_000);
    const image = imageOp(survey.docId, content);
    expect(await cloud.ops([image], NODE), 'its survey must be first').toMatchObject([
      { error: { code: 'unknown-survey', retryable: true } },
    ]);
    expect(await cloud.ops([survey, image], NODE)).toMatchObject([
      { receipt: {} },
      { opId: image.opId, needs: [sha256(content)] },
    ]);
    expect(await cloud.ops([image], NODE), 'repeated').toMatchObject([{ needs: [sha256(content)] }]);
    expect((await cloud.post<{ missing: string[] }>('/api/have', { sha256: [sha256(content)] })).body.missing).toEqual([
      sha256(content),
    ]);
    expect(await cloud.upload(content)).toMatchObject({ ok: true, offset: content.length });
    const receipt = await receiptOf(image.opId);
    checkReceiptMatches(receipt, image, { sha256: sha256(content) as never, bytes: content.length });
    expect(await cloud.ops([image], NODE)).toEqual([{ opId: image.opId, receipt }]);
    expect((await cloud.post<{ missing: string[] }>('/api/have', { sha256: [sha256(content)] })).body.missing).toEqual(
      [],
    );
    const bytes = await fetch(`${cloud.url}/api/blobs/${sha256(content)}`, {
      headers: { authorization: `Bearer ${cloud.boxToken}` },
    });
    expect(sha256(new Uint8Array(await bytes.arrayBuffer()))).toBe(sha256(content));
  });

  it('protocol: bytes with a wrong hash are refused, and the right ones start at byte zero', async () => {
    const survey = surveyOp();
    const content = photograph(30_000);
    const image = imageOp(survey.docId, content);
    await cloud.ops([survey, image], NODE);
    const { body } = await cloud.post<{ uploadId: string }>('/api/uploads', {
      sha256: sha256(content),
      bytes: content.length,
      type: 'image/jpeg',
    });
    const headers = {
      authorization: `Bearer ${cloud.boxToken}`,
      'content-type': 'application/partial-upload',
      'upload-offset': '0',
    };
    const refused = await fetch(`${cloud.url}/api/uploads/${body.uploadId}`, {
      method: 'PATCH',
      headers,
      body: new Uint8Array(photograph(30_000)),
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { ok: false, error: { code: 'hash-mismatch', offset: 0 } },
    ]);
    expect(await cloud.ops([image], NODE)).toMatchObject([{ needs: [sha256(content)] }]);
    expect(await cloud.upload(content)).toMatchObject({ ok: true, offset: content.length });
    expect(await receiptOf(image.opId)).toMatchObject({ accepted: true, blob: { sha256: sha256(content) } });
  });

  it('protocol: a bad op never blocks the next, and each error names the problem', async () => {
    const good = surveyOp();
    const altered = { ...surveyOp(), sha256: '0'.repeat(64) };
    const unlinked = makeOp('survey', { id: newId(), user: {} });
    const results = await cloud.ops([{ v: 1 }, altered, unlinked, 7, good], NODE);
    expect(results.map((result) => ('error' in result ? result.error.code : 'taken'))).toEqual([
      'bad-message',
      'hash-mismatch',
      'unlinked-survey',
      'bad-message',
      'taken',
    ]);
  });

  it('protocol: an op with a dangerous key spoils no other, and is accepted ashore as aboard', async () => {
    const good = surveyOp();
    const odd = makeOp('survey', { ...surveyOp().body, id: newId(), constructor: { prototype: { admin: true } } });
    const bad = JSON.stringify(surveyOp()).replace('"body":{', '"body":{"__proto__":{"admin":true},');
    const answer = await fetch(`${cloud.url}/api/ops`, {
      method: 'POST',
      headers: { authorization: `Bearer ${cloud.boxToken}`, 'content-type': 'application/json' },
      body: `{"node":"${NODE}","ops":[${bad},${JSON.stringify(odd)},${JSON.stringify(good)}]}`,
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      {
        results: [
          { error: { code: 'bad-message', field: 'op.body' } },
          { receipt: { accepted: true } },
          { receipt: { accepted: true } },
        ],
      },
    ]);
    expect((await cloud.cloud.context.store.document('survey', odd.docId))?.folded.doc['constructor']).toEqual({
      prototype: { admin: true },
    });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('protocol: a different op under a known opId is refused, receipted or waiting', async () => {
    const survey = surveyOp();
    const image = imageOp(survey.docId, photograph(1000));
    await cloud.ops([survey, image], NODE);
    const other = { ...surveyOp(), opId: survey.opId };
    const content = photograph(2000);
    await cloud.upload(content);
    const otherImage = { ...imageOp(survey.docId, content), opId: image.opId };
    const results = await cloud.ops([other, otherImage], NODE);
    expect(results).toMatchObject([{ error: { code: 'receipt-mismatch' } }, { error: { code: 'receipt-mismatch' } }]);
    expect(await cloud.ops([image], NODE), 'the one that waits still waits').toMatchObject([
      { needs: [image.body['sha256']] },
    ]);
  });

  it('protocol: an unacceptable op is quarantined and reported', async () => {
    const survey = surveyOp(newId(), { schema: 99 });
    const broken = makeOp('survey', { id: newId(), user: { uid: newId() }, experience: null, loc: 'nowhere' });
    const profile = makeOp(
      'profile',
      { uid: newId(), name: { first: 'A', last: 'B' }, email: 'a@example.org' },
      { by: newId() as never },
    );
    const content = photograph(4000);
    const image = imageOp(survey.docId, content);
    const results = await cloud.ops([survey, broken, profile, image], NODE);
    expect(results).toMatchObject([
      { receipt: { accepted: false } },
      { receipt: { accepted: false } },
      { receipt: { accepted: false, reason: 'You can only change your own profile.' } },
      { needs: [sha256(content)] },
    ]);
    await cloud.upload(content);
    expect(await receiptOf(image.opId)).toMatchObject({
      accepted: false,
      blob: { sha256: sha256(content), bytes: content.length },
    });
    expect(await cloud.cloud.context.store.document('survey', survey.docId)).toBeUndefined();
  });

  it('protocol: another photograph under an image’s id is stored and not shown in its place', async () => {
    const survey = surveyOp();
    const [one, other] = [photograph(3000), photograph(3000)];
    await cloud.upload(one);
    await cloud.upload(other);
    const image = imageOp(survey.docId, one);
    const results = await cloud.ops([survey, image, imageOp(survey.docId, other, image.docId)], NODE);
    expect(results.slice(1)).toMatchObject([
      { receipt: { accepted: true } },
      { receipt: { accepted: false, reason: expect.stringContaining('Another photograph') } },
    ]);
  });

  it('protocol: an op without an author gets the one that the box names', async () => {
    const uid = newId();
    const { by: _by, ...survey } = surveyOp(uid);
    await cloud.ops([{ op: survey, by: uid }], NODE);
    const { entries } = await cloud.cloud.context.store.changes({ since: 0, limit: 1000 });
    expect(entries.find(({ op }) => op?.opId === survey.opId)?.by).toBe(uid);
    expect(await cloud.ops([{ op: surveyOp(), by: 'nobody at all' }], NODE)).toMatchObject([{ receipt: {} }]);
    const { by: _none, ...nameless } = surveyOp();
    expect(await cloud.ops([{ op: nameless, by: 'nobody at all' }], NODE)).toMatchObject([
      { error: { code: 'bad-message', field: 'by' } },
    ]);
  });
});

describe('protocol, Cloud HTTP: after a restart', () => {
  it('protocol: a parked record is ingested at start if its bytes arrived before shutdown', async () => {
    const survey = surveyOp();
    const content = photograph(5000);
    const image = imageOp(survey.docId, content);
    await cloud.ops([survey], NODE);
    await cloud.upload(content);
    // State after a kill between bytes and record.
    await cloud.cloud.context.store.park({
      op: image,
      by: null,
      submittedBy: { device: null, node: NODE },
      needs: [sha256(content) as never],
    });
    await cloud.restart();
    expect(await receiptOf(image.opId)).toMatchObject({ accepted: true });
    expect(await cloud.cloud.context.store.findParked(image.opId)).toBeUndefined();
  });

  it('protocol: identity, keys and partial uploads survive a restart', async () => {
    const before = (await cloud.get('/api/keys', null)).body;
    const { body: traced } = await fetch(`${cloud.url}/trace`).then(async (answer) => ({ body: await answer.text() }));
    const content = photograph(100_000);
    const announced = { sha256: sha256(content), bytes: content.length, type: 'image/jpeg' };
    const { body: start } = await cloud.post<{ uploadId: string }>('/api/uploads', announced);
    const headers = {
      authorization: `Bearer ${cloud.boxToken}`,
      'content-type': 'application/partial-upload',
      'upload-offset': '0',
    };
    await fetch(`${cloud.url}/api/uploads/${start.uploadId}`, {
      method: 'PATCH',
      headers,
      body: new Uint8Array(content.subarray(0, 40_000)),
    });
    await cloud.restart();
    expect((await cloud.get('/api/keys', null)).body).toEqual(before);
    expect((await (await fetch(`${cloud.url}/trace`)).text()).split('\n').slice(0, 3)).toEqual(
      traced.split('\n').slice(0, 3),
    );
    const head = await fetch(`${cloud.url}/api/uploads/${start.uploadId}`, {
      method: 'HEAD',
      headers: { authorization: headers.authorization },
    });
    expect([head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual(['40000', '100000']);
    expect((await cloud.post('/api/uploads', announced)).body).toMatchObject({ offset: 40_000, complete: false });
    expect(await cloud.upload(content)).toMatchObject({ ok: true, offset: 100_000 });
  });
});
