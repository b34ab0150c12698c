import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { canonicalJson } from '../../../src/domain/canonical';
import type { Json } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import type { ChangeEntry, ChangesPage } from '../../../src/protocol/changes';
import type { EdgeSurvey } from '../../../src/protocol/edge-socket';
import { blobOf } from '../../../src/protocol/receipt';
import { startEdge } from '../../support/servers/edge';
import type { EdgeProcess } from '../../support/servers/edge';
import { imageOp, makeOp, newId, pairedClient, photograph, surveyOp } from '../../support/servers/edge-client';
import type { EdgeClient } from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const cloud = { ...generateKeyPairSync('ed25519'), storeEpoch: newId(), seq: 0 };
let edge: EdgeProcess;
let client: EdgeClient;
beforeAll(async () => {
  edge = await startEdge();
  client = await pairedClient(edge);
  const { x } = cloud.publicKey.export({ format: 'jwk' });
  await asBridge('PUT', '/edge/reference/cloud-keys', { keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: 'cloud-1' }] });
});
afterAll(async () => {
  client.close();
  await edge.remove();
});

async function asBridge(method: string, place: string, body?: object): Promise<unknown> {
  const answer = await fetch(edge.url + place, {
    method,
    headers: { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

/** Cloud receipt with a verdict on an operation. */
function cloudReceipt(op: Op, verdict: { accepted: boolean; reason?: string }): object {
  const blob = blobOf(op);
  const unsigned = {
    v: 1,
    stage: 'cloud',
    nodeId: 'Cloud00000000001',
    storeEpoch: cloud.storeEpoch,
    opId: op.opId,
    kind: op.kind,
    docId: op.docId,
    sha256: op.sha256,
    ...(blob === undefined ? {} : { blob }),
    ...verdict,
    seq: ++cloud.seq,
    storedAt: new Date().toISOString(),
    kid: 'cloud-1',
  };
  return {
    ...unsigned,
    sig: sign(null, Buffer.from(canonicalJson(unsigned as unknown as Json)), cloud.privateKey).toString('base64url'),
  };
}

const bring = async (op: Op, verdict: { accepted: boolean; reason?: string }): Promise<object> =>
  (
    (await asBridge('POST', '/edge/ops', { ops: [{ op, receipt: cloudReceipt(op, verdict) }] })) as {
      results: object[];
    }
  ).results[0] ?? {};
const surveyIds = async (): Promise<string[]> =>
  ((await asBridge('GET', '/edge/surveys')) as EdgeSurvey[]).map(({ id }) => id);
const entryOf = (page: unknown, opId: string): ChangeEntry | undefined =>
  (page as ChangesPage).entries.find(({ op }) => op?.opId === opId);

describe('protocol, Receipts and keys: refused ops', () => {
  it('protocol: an op the cloud refused is quarantined aboard and in no document', async () => {
    const survey = surveyOp();
    const refused = await bring(survey, { accepted: false, reason: 'forbidden' });
    expect(refused).toMatchObject({ receipt: { stage: 'edge', accepted: false, reason: 'forbidden' } });
    const holds = async () => {
      expect(await surveyIds()).not.toContain(survey.docId);
      for (const page of [
        await asBridge('GET', '/edge/changes'),
        (await client.send('query', { name: 'changes' }))['data'],
      ]) {
        expect(entryOf(page, survey.opId), 'the receipt that marks it shares its entry').toMatchObject({
          op: survey,
          receipt: { accepted: false },
        });
      }
      expect(await client.send('image:record', { op: imageOp(survey.docId, photograph(100)) })).toMatchObject({
        error: { code: 'unknown-survey' },
      });
      expect(await client.send('survey', { op: survey }), 'a tablet gets the same answer').toMatchObject({
        ok: true,
        receipt: (refused as { receipt: object }).receipt,
      });
    };
    await holds();
    client.close();
    await edge.restart();
    client = await pairedClient(edge, client.deviceId);
    await holds();
  });

  it('protocol: a refused edit changes no document and replaces nothing', async () => {
    const first = surveyOp();
    await client.send('survey', { op: first });
    const edit = makeOp('survey', { ...first.body, date: '2020-10-10' }, { lc: 2, over: { date: [first.opId] } });
    expect(await bring(edit, { accepted: false })).toMatchObject({
      receipt: { accepted: false, reason: 'refused ashore' },
    });
    const shown = ((await asBridge('GET', '/edge/surveys')) as EdgeSurvey[]).find(({ id }) => id === first.docId);
    expect(shown?.date).toBe(first.body['date']);
  });

  it('protocol: an op accepted aboard before the cloud refused it stays visible and owed', async () => {
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    const { owed } = (await asBridge('GET', '/edge/meta')) as { owed: number };
    await asBridge('POST', '/edge/ops', {
      receipts: [cloudReceipt(survey, { accepted: false, reason: 'bad-message' })],
    });
    expect(await surveyIds()).toContain(survey.docId);
    expect(((await asBridge('GET', '/edge/meta')) as { owed: number }).owed).toBe(owed);
  });

  it('protocol: an image refused for its invalid bytes is stored with the refusal', async () => {
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    const { body } = imageOp(survey.docId, photograph(100));
    for (const op of [
      makeOp('image', { ...body, id: newId(), bytes: 'many' }),
      makeOp('image', { ...body, id: newId() }),
    ]) {
      const refusal = {
        ...(cloudReceipt({ ...op, body: {} } as Op, { accepted: false, reason: 'bad-message' }) as { blob?: object }),
      };
      expect(refusal.blob, 'a refusal without the bytes').toBeUndefined();
      const take = async () =>
        ((await asBridge('POST', '/edge/ops', { ops: [{ op, receipt: refusal }] })) as { results: object[] })
          .results[0];
      const first = await take();
      expect(first).toMatchObject({ receipt: { accepted: false, reason: 'bad-message' } });
      expect(await take()).toEqual(first);
    }
  });

  it('protocol: an edit of a record with bytes ashore alone does not request them again', async () => {
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    const image = imageOp(survey.docId, photograph(500));
    const edit = makeOp('image', { ...image.body, depth: 4 }, { lc: 2, over: { depth: [] } });
    expect(await client.send('image:record', { op: edit }), 'of an unknown record').toMatchObject({
      error: { code: 'incomplete' },
    });
    expect(await bring(image, { accepted: true })).toMatchObject({ receipt: { accepted: true } });
    const reply = await client.send('image:record', { op: edit });
    expect(reply).toMatchObject({ ok: true, receipt: { accepted: true } });
    expect(reply['receipt'], 'it promises no bytes').not.toHaveProperty('blob');
    expect(await client.send('image:record', { op: makeOp('image', { ...image.body, bytes: 499 }) })).toMatchObject({
      error: { code: 'hash-mismatch' },
    });
  });
});
