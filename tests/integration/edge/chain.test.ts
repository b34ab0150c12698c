import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PublicKey, Receipt } from '../../../src/protocol/receipt';
import { checkReceiptMatches, checkReceiptSignature } from '../../../src/protocol/receipt';
import { verifySignature } from '../../../src/server/ops/receipt-signer';
import type { EdgeProcess } from '../../support/servers/edge';
import { startEdge } from '../../support/servers/edge';
import { imageOp, makeOp, newId, pairedClient, photograph, sha256, surveyOp } from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let edge: EdgeProcess;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(async () => edge.remove());

const admin = () => ({ headers: { authorization: `Bearer ${edge.adminToken}` } });

describe('protocol: the chain from verify to the receipt', () => {
  it('protocol: a photograph goes over the socket, and each receipt matches it and verifies', async () => {
    const client = await pairedClient(edge);
    const verified = await client.verify({ session: client.session });
    expect(verified).toMatchObject({
      ok: true,
      protocol: 1,
      user: null,
      edge: { storeEpoch: edge.storeEpoch },
      binary: ['socket', 'http'],
    });
    const keys = [verified['publicKey'] as PublicKey];

    const uid = newId();
    const profile = makeOp(
      'profile',
      { uid, name: { first: 'Ada', last: 'Reef' }, email: 'ada@example.org', admin: true },
      { by: uid as never },
    );
    const survey = surveyOp(uid);
    const content = photograph(700_001);
    const image = imageOp(survey.docId, content);
    for (const [event, op] of [
      ['profile', profile],
      ['survey', survey],
    ] as const) {
      const { receipt } = (await client.send(event, { op })) as unknown as { receipt: Receipt };
      checkReceiptMatches(receipt, op);
      await checkReceiptSignature(receipt, keys, verifySignature);
    }
    const notice = {
      surveyId: survey.docId,
      imageId: image.docId,
      path: 'DCIM/IMG_1.jpg',
      bytes: content.length,
      sha256: sha256(content),
      type: 'image/jpeg',
    };
    const start = await client.send('image:path', notice);
    expect(start).toMatchObject({ ok: true, offset: 0, complete: false });
    const { uploadId } = start as unknown as { uploadId: string };
    expect(await client.send('image:binary', { uploadId, offset: 0 }, content.subarray(0, 300_000))).toMatchObject({
      ok: true,
      offset: 300_000,
    });
    expect(await client.send('image:record', { op: image })).toMatchObject({
      ok: false,
      error: { code: 'incomplete', offset: 300_000 },
    });
    expect(await client.send('image:path', notice)).toMatchObject({ ok: true, offset: 300_000, complete: false });
    expect(await client.send('image:binary', { uploadId, offset: 300_000 }, content.subarray(300_000))).toMatchObject({
      ok: true,
      offset: content.length,
    });
    const recorded = (await client.send('image:record', { op: image })) as unknown as { receipt: Receipt };
    checkReceiptMatches(recorded.receipt, image, { sha256: sha256(content) as never, bytes: content.length });
    await checkReceiptSignature(recorded.receipt, keys, verifySignature);
    expect(await client.send('image:path', notice)).toMatchObject({ ok: true, offset: content.length, complete: true });

    const again = (await client.send('image:record', { op: image })) as unknown as { receipt: Receipt };
    expect(again.receipt).toEqual(recorded.receipt);
    expect(await client.send('survey', { op: { ...survey, madeAt: new Date(0).toISOString() } })).toMatchObject({
      ok: false,
      error: { code: 'receipt-mismatch' },
    });

    const blob = await fetch(`${edge.url}/edge/blobs/${sha256(content)}`, admin());
    expect(Buffer.from(await blob.arrayBuffer()).equals(content)).toBe(true);
    const part = await fetch(`${edge.url}/edge/blobs/${sha256(content)}`, {
      headers: { ...admin().headers, range: 'bytes=5-9' },
    });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(content.subarray(5, 10));
    client.close();
  });

  it('protocol: the same steps over HTTP, in one large PATCH, return the same JSON', async () => {
    const client = await pairedClient(edge);
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    const content = photograph(6_000_000);
    const image = imageOp(survey.docId, content);
    const { uploadId } = (await client.send('image:path', {
      surveyId: survey.docId,
      imageId: image.docId,
      path: '1.jpg',
      bytes: content.length,
      sha256: sha256(content),
      type: 'image/jpeg',
    })) as unknown as { uploadId: string };
    const address = `${edge.url}/edge/uploads/${uploadId}`;
    const bearer = { authorization: `Bearer ${client.session}` };
    const patch = (offset: number, body: Uint8Array) =>
      fetch(address, {
        method: 'PATCH',
        headers: { ...bearer, 'content-type': 'application/partial-upload', 'upload-offset': String(offset) },
        body: body as BodyInit,
      });
    const first = await patch(0, content.subarray(0, 1_000_000));
    expect([first.status, await first.json(), first.headers.get('upload-offset')]).toEqual([
      200,
      { ok: true, offset: 1_000_000 },
      '1000000',
    ]);
    const head = await fetch(address, { method: 'HEAD', headers: bearer });
    expect([head.status, head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual([
      200,
      '1000000',
      '6000000',
    ]);
    const wrong = await patch(0, content.subarray(0, 1000));
    expect([wrong.status, wrong.headers.get('upload-offset')]).toEqual([409, '1000000']);
    expect(await wrong.json()).toMatchObject({ ok: false, error: { code: 'offset-mismatch', offset: 1_000_000 } });
    const rest = await patch(1_000_000, content.subarray(1_000_000));
    expect(await rest.json()).toEqual({ ok: true, offset: content.length });
    expect(await client.send('image:record', { op: image })).toMatchObject({ ok: true });
    expect((await fetch(address, { method: 'HEAD' })).status).toBe(401);
    const blob = await fetch(`${edge.url}/edge/blobs/${sha256(content)}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${edge.adminToken}` },
    });
    expect([blob.status, blob.headers.get('content-length')]).toEqual([200, String(content.length)]);
    client.close();
  });

  it('1§3, 3§7: the queries count documents aboard, over socket and HTTP', async () => {
    const client = await pairedClient(edge);
    const meta = (await client.send('query', { name: 'meta' })) as unknown as {
      data: { totals: { surveys: number; images: number }; owed: number; owedBytes: number };
    };
    expect(meta.data.totals).toMatchObject({ surveys: 2, images: 2, people: 1, bytes: 6_700_001, analyses: 0 });
    expect(meta.data.owed).toBe(5);
    expect(meta.data.owedBytes, 'nothing has a receipt from the shore').toBe(6_700_001);
    expect(await client.send('query', { name: 'gps' })).toEqual({ ok: true, data: null });
    const bearer = { headers: { authorization: `Bearer ${client.session}` } };
    expect(await (await fetch(`${edge.url}/edge/gps`, bearer)).json()).toBeNull();
    const locations = await (await fetch(`${edge.url}/edge/locations`, bearer)).json();
    expect(locations).toEqual([
      { id: 'agincourt', name: 'Agincourt Reef', lat: -16, lng: 145.8, surveys: 2, images: 2, notYetPublic: 2 },
    ]);
    const surveys = (await (await fetch(`${edge.url}/edge/surveys`, bearer)).json()) as { images: object }[];
    expect(surveys.map(({ images }) => images)).toEqual([
      { total: 1, here: 1, ashore: 0 },
      { total: 1, here: 1, ashore: 0 },
    ]);
    expect((await fetch(`${edge.url}/edge/meta`)).status).toBe(401);
    client.close();
  });
});
