import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Receipt } from '../../../src/protocol/receipt';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { imageOp, photograph, sha256, surveyOp } from '../../support/servers/edge-client';
import { signIn } from '../../support/servers/people';
import type { TestBucket } from '../../support/servers/s3';
import { testBucket } from '../../support/servers/s3';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const NODE = 'Box0000000000001';
let bucket: TestBucket;
let cloud: TestCloud;
beforeAll(async () => {
  bucket = await testBucket();
  cloud = await startCloud({ env: bucket.env });
});
beforeEach(() => bucket.be('well'));
afterAll(async () => {
  await cloud.close();
  await bucket.close();
});

/** Survey with one photograph whose record waits for bytes. */
async function waiting(bytes = 200_000): Promise<{ content: Buffer; opId: string; hash: string }> {
  const survey = surveyOp();
  const content = photograph(bytes);
  const image = imageOp(survey.docId, content);
  expect(await cloud.ops([survey, image], NODE)).toMatchObject([{ receipt: {} }, { needs: [sha256(content)] }]);
  return { content, opId: image.opId, hash: sha256(content) };
}

async function receiptOf(opId: string): Promise<Receipt> {
  for (;;) {
    const found = await findReceipt(opId);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function findReceipt(opId: string): Promise<Receipt | undefined> {
  return (await cloud.changes()).entries.find(({ receipt }) => receipt?.opId === opId)?.receipt;
}

async function bytesOf(hash: string, range?: string): Promise<{ status: number; bytes: Buffer }> {
  const answer = await fetch(`${cloud.url}/api/blobs/${hash}`, {
    headers: { authorization: `Bearer ${cloud.boxToken}`, ...(range === undefined ? {} : { range }) },
  });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe('protocol, Durable: photographs in a bucket', () => {
  it('protocol: a photograph is receipted once in the bucket, and read from there in ranges', async () => {
    const { content, opId, hash } = await waiting();
    await cloud.upload(content);
    expect(await receiptOf(opId)).toMatchObject({ accepted: true, blob: { sha256: hash, bytes: content.length } });
    expect(sha256((await bytesOf(hash)).bytes)).toBe(hash);
    const part = await bytesOf(hash, 'bytes=1000-1999');
    expect([part.status, part.bytes.equals(content.subarray(1000, 2000))]).toEqual([206, true]);
    expect(
      (
        await cloud.post<{ complete: boolean }>('/api/uploads', {
          sha256: hash,
          bytes: content.length,
          type: 'image/jpeg',
        })
      ).body.complete,
    ).toBe(true);
  });

  it('protocol: a bucket answering 503 delays receipts and loses nothing', async () => {
    const { content, opId } = await waiting();
    bucket.be('away');
    expect(await cloud.upload(content), 'durable at the service').toMatchObject({ ok: true, offset: content.length });
    expect(await findReceipt(opId)).toBeUndefined();
    expect((await cloud.post('/api/have', { sha256: [sha256(content)] })).body, 'it is not announced').toMatchObject({
      ok: false,
      error: { retryable: true },
    });
    bucket.be('well');
    expect(await receiptOf(opId)).toMatchObject({ accepted: true });
  });

  it('protocol: a lost bucket answer is retried, and nothing is put twice', async () => {
    const { content, opId } = await waiting();
    const before = bucket.puts();
    // Checks before upload and before put, then the put.
    const { body } = await cloud.post<{ uploadId: string }>('/api/uploads', {
      sha256: sha256(content),
      bytes: content.length,
      type: 'image/jpeg',
    });
    const store = cloud.cloud.context.blobs;
    bucket.be('answer-lost', 2);
    await store.write(body.uploadId, 0, content);
    expect(await receiptOf(opId)).toMatchObject({ accepted: true });
    expect(bucket.puts() - before).toBeLessThanOrEqual(1);
  });

  it('protocol: an interrupted put is retried', async () => {
    const { content, opId, hash } = await waiting(2_000_000);
    const { body } = await cloud.post<{ uploadId: string }>('/api/uploads', {
      sha256: hash,
      bytes: content.length,
      type: 'image/jpeg',
    });
    // The check before the put succeeds.
    bucket.be('request-cut', 2);
    await cloud.cloud.context.blobs.write(body.uploadId, 0, content);
    expect(await receiptOf(opId)).toMatchObject({ accepted: true });
    expect(sha256((await bytesOf(hash)).bytes)).toBe(hash);
  });

  it('protocol: bytes not yet in the bucket at shutdown are put after the start', async () => {
    const { content, opId } = await waiting();
    bucket.be('away');
    await cloud.upload(content);
    await cloud.stop();
    bucket.be('well');
    await cloud.restart();
    expect(await receiptOf(opId)).toMatchObject({ accepted: true });
  });

  it('2§7: an unused profile photo leaves the bucket, also after an outage', async () => {
    const { blobs, database, housekeeping } = cloud.cloud.context;
    const person = await signIn(cloud, 'faces@example.org');
    const picture = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#4cc5c6' } })
      .jpeg()
      .toBuffer();
    const set = (hash: string | null) => cloud.ask('PUT', '/api/account/photo', { sha256: hash }, person.session);
    const has = () => blobs.has(sha256(picture));
    await cloud.upload(picture, person.session);
    await expect.poll(has).toBe(true);
    expect((await set(sha256(picture))).status).toBe(200);
    bucket.be('away');
    expect((await set(null)).status, 'the request does not wait for the bucket').toBe(200);
    await housekeeping.run();
    expect(
      (await database.pool.query('SELECT FROM auth.photo_gone WHERE sha256 = $1', [sha256(picture)])).rowCount,
      'retrying',
    ).toBe(1);
    bucket.be('well');
    await housekeeping.run();
    await expect.poll(has).toBe(false);
    expect((await cloud.get(`/api/blobs/${sha256(picture)}`, person.session)).status).toBe(404);
  });

  it('protocol: bytes altered in the bucket are requested again and replaced', async () => {
    const { content, opId, hash } = await waiting();
    await cloud.upload(content);
    await receiptOf(opId);
    const before = bucket.puts();
    bucket.alter(hash);
    // Marked lost, as by the scrub of any process: no one may free a copy on its proof.
    expect(await cloud.cloud.context.store.markBlobLost(hash)).toBe(1);
    const missing = async () => (await cloud.post<{ missing: string[] }>('/api/have', { sha256: [hash] })).body.missing;
    expect(await missing()).toEqual([hash]);
    await cloud.restart();
    expect(await missing()).toEqual([hash]);
    expect((await bytesOf(hash)).status, 'altered bytes are not served').toBe(404);
    expect(await cloud.upload(content)).toMatchObject({ ok: true, offset: content.length });
    while ((await missing()).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(bucket.puts() - before, 'the bytes are put again despite the bucket’s old MD5').toBe(1);
    expect(sha256((await bytesOf(hash)).bytes)).toBe(hash);
  });
});
