import { truncateSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { recount } from '../../../cloud-sync/api/recount';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { imageOp, makeOp, newId, photograph, sha256, surveyOp } from '../../support/servers/edge-client';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const NODE = 'Box0000000000001';
const log = pino({ level: 'silent' });
let cloud: TestCloud;
afterEach(() => cloud.close());

describe('protocol, Fold: counters ashore', () => {
  it('protocol, Fold: an analysis counts once, and recount repairs counters offline only', async () => {
    cloud = await startCloud();
    const imageId = newId();
    const survey = surveyOp();
    const analyses = [newId(), newId()].map((uid) =>
      makeOp('analysis', { id: newId(), image: { id: imageId }, survey: { id: survey.docId }, user: { uid } }),
    );
    await cloud.ops([survey, ...analyses], NODE);
    await cloud.ops([...analyses, ...analyses], NODE);
    const count = async () =>
      (
        await cloud.cloud.context.database.pool.query<{ n: number }>(
          "SELECT n FROM counters WHERE name = 'image.analyses' AND id = $1",
          [imageId],
        )
      ).rows;
    expect(await count()).toEqual([{ n: 2 }]);
    await cloud.cloud.context.database.pool.query('UPDATE counters SET n = 99');
    await expect(recount(cloud.settings, log)).rejects.toThrow('Another process is working on');
    await cloud.stop();
    expect(await recount(cloud.settings, log)).toBe(3);
    await cloud.restart();
    expect(await count()).toEqual([{ n: 2 }]);
  });
});

describe('protocol, Durable: bytes lost on disk', () => {
  it('protocol: a photograph damaged at start is requested again and restored', async () => {
    cloud = await startCloud();
    const survey = surveyOp();
    const content = photograph(9000);
    const image = imageOp(survey.docId, content);
    const hash = sha256(content);
    await cloud.upload(content);
    const [, before] = await cloud.ops([survey, image], NODE);
    await cloud.stop();
    truncateSync(path.join(cloud.settings.home, 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash), 4000);
    await cloud.restart();
    expect((await cloud.post<{ missing: string[] }>('/api/have', { sha256: [hash] })).body.missing).toEqual([hash]);
    expect(await cloud.cloud.context.store.recordedBlobs(image.docId)).toMatchObject([{ sha256: hash, lost: true }]);
    expect(await cloud.upload(content)).toMatchObject({ ok: true, offset: content.length });
    expect((await cloud.post<{ missing: string[] }>('/api/have', { sha256: [hash] })).body.missing).toEqual([]);
    for (;;) {
      const [recorded] = await cloud.cloud.context.store.recordedBlobs(image.docId);
      if (recorded?.lost !== true) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await cloud.ops([image], NODE), 'and its receipt is unchanged').toEqual([before]);
  });

  it('protocol: a released record with a wrong length removes no intact photograph', async () => {
    cloud = await startCloud();
    const survey = surveyOp();
    const content = photograph(9000);
    const hash = sha256(content);
    const right = imageOp(survey.docId, content);
    const wrong = makeOp('image', { ...right.body, id: newId(), bytes: content.length + 1 });
    await cloud.upload(content);
    expect(await cloud.ops([survey, right, wrong], NODE)).toMatchObject([
      { receipt: { accepted: true } },
      { receipt: { accepted: true } },
      { receipt: { accepted: false, reason: expect.stringContaining('a different length') } },
    ]);
    expect((await cloud.post(`/api/quarantine/${wrong.opId}/release`, {}, STAFF_TOKEN)).status).toBe(200);
    await cloud.restart();
    expect((await cloud.post<{ missing: string[] }>('/api/have', { sha256: [hash] })).body.missing).toEqual([]);
    expect(await cloud.cloud.context.store.recordedBlobs(right.docId)).toEqual([
      { sha256: hash, bytes: content.length },
    ]);
  });
});
