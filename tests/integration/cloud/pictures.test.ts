import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { launchPostgres } from '../../../cloud-sync/api/postgres/launcher';
import type { JsonObject } from '../../../src/domain/json';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { imageOp, photograph, surveyOp } from '../../support/servers/edge-client';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const NODE = 'Box0000000000001';
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Photograph of sand and weed in blue water. */
function underWater(width = 1200, height = 900, shade = 0): Promise<Buffer> {
  const data = Buffer.alloc(3 * width * height);
  for (let n = 0; n < width * height; n++)
    data.set([30 + ((n >> 4) % 40), 110 + ((n >> 3) % 90), 150 + ((n + shade) % 100)], 3 * n);
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

async function bring(cloud: TestCloud, content: Buffer): Promise<string> {
  const survey = surveyOp();
  const image = imageOp(survey.docId, content);
  await cloud.upload(content);
  expect(await cloud.ops([survey, image], NODE)).toMatchObject([
    { receipt: { accepted: true } },
    { receipt: { accepted: true } },
  ]);
  return image.docId;
}

/** Server fields of an image, once its sizes are made. */
async function pictured(cloud: TestCloud, imageId: string): Promise<JsonObject> {
  for (;;) {
    const owned = (await cloud.cloud.context.store.document('image', imageId))?.owned;
    if (owned?.['color_corrected'] !== undefined) return owned;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('1§3: photograph sizes and colour correction', () => {
  it('1§3, 2§7: a job makes them, and the document and the feed name their paths', async () => {
    const cloud = await startCloud();
    undo.push(() => cloud.close());
    const imageId = await bring(cloud, await underWater());
    const owned = await pictured(cloud, imageId);
    const link = owned['color_corrected'] as { token: string; url: string };
    const { entries } = await cloud.changes(0, STAFF_TOKEN);
    const entry = entries.find(({ op }) => op?.docId === imageId) as unknown as {
      owned: { token: string; url: string; color_corrected: object };
    };
    expect(entry.owned.color_corrected).toEqual(link);
    const get = async ({ token, url }: { token: string; url: string }, size = 800) => {
      const answer = await fetch(`${cloud.url}/cache/${size}/${token}/${url}`);
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
    };
    const [plain, corrected] = [await get(entry.owned), await get(link)];
    expect([(await sharp(plain.bytes).metadata()).width, (await sharp(corrected.bytes).metadata()).width]).toEqual([
      800, 800,
    ]);
    const redOfBlue = async (bytes: Buffer) => {
      const [red, , blue] = (await sharp(bytes).stats()).channels;
      return red!.mean / blue!.mean;
    };
    expect(await redOfBlue(corrected.bytes)).toBeGreaterThan(1.5 * (await redOfBlue(plain.bytes)));
    expect((await get({ token: entry.owned.token, url: link.url })).status, 'the token of another picture').toBe(404);
    expect((await get(link, 900)).status).toBe(404);
  });

  it('1§3: an undecodable photograph is stored and blocks no other', async () => {
    const cloud = await startCloud();
    undo.push(() => cloud.close());
    await bring(cloud, photograph(5000));
    expect(await pictured(cloud, await bring(cloud, await underWater(300, 200)))).toHaveProperty('color_corrected');
  });

  it('1§3: jobs continue after repeated PostgreSQL kills, without a restart of the service', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-pgj-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    const server = await launchPostgres({ folder });
    undo.push(() => server.stop());
    const cloud = await startCloud({ databaseUrl: server.url });
    undo.push(() => cloud.close());
    await pictured(cloud, await bring(cloud, await underWater(300, 200)));
    for (let round = 1; round <= 3; round++) {
      const images = [
        await bring(cloud, await underWater(400, 300, 2 * round)),
        await bring(cloud, await underWater(400, 300, 2 * round + 1)),
      ];
      if (server.pid !== undefined) process.kill(server.pid, 'SIGKILL');
      for (const imageId of images) expect(await pictured(cloud, imageId)).toHaveProperty('color_corrected');
    }
  });
});
