import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BridgeHooks } from '../../../cloud-sync/bridge/compose-bridge';
import { composeBridge } from '../../../cloud-sync/bridge/compose-bridge';
import type { Bridge } from '../../../cloud-sync/bridge/bridge';
import { readBridgeSettings } from '../../../cloud-sync/bridge/settings';
import { categoryClass } from '../../../src/domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../src/domain/analysis/free-draw/marks';
import { readFreeDraw } from '../../../src/domain/analysis/free-draw/record';
import { canonicalJson } from '../../../src/domain/canonical';
import type { Op } from '../../../src/domain/op/op';
import { tempFolder, wholeFeed } from '../../support/servers/client';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import type { EdgeProcess } from '../../support/servers/edge';
import { startEdge } from '../../support/servers/edge';
import type { EdgeClient } from '../../support/servers/edge-client';
import { imageOp, makeOp, newId, pairedClient, photograph, sha256, surveyOp } from '../../support/servers/edge-client';
import { openTestTablet, until } from '../../support/tablet/tablet';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = tempFolder('bridge-cloud');
let edge: EdgeProcess;
let cloud: TestCloud;
let client: EdgeClient;
const closers: (() => void)[] = [];

beforeAll(async () => {
  edge = await startEdge();
  cloud = await startCloud();
  client = await pairedClient(edge);
});
afterAll(async () => {
  for (const close of closers) close();
  client.close();
  await cloud.close();
  await edge.remove();
  folder.remove();
});

let bridges = 0;

function newBridge(token = cloud.boxToken, limits: BridgeHooks['limits'] = {}): Bridge {
  const settings = readBridgeSettings(['--edge', edge.url, '--cloud', cloud.url], {
    REEF_HOME: path.join(folder.path, `home-${++bridges}`),
    BRIDGE_TOKEN: token,
    EDGE_ADMIN_TOKEN: edge.adminToken,
  });
  const { bridge, close } = composeBridge(settings, undefined, {
    log: () => undefined,
    limits: { itemRetryMs: 1, ...limits },
  });
  closers.push(close);
  return bridge;
}

const step = (bridge: Bridge) => bridge.step(new AbortController().signal);

/** Cloud receipts stored aboard, by operation. */
async function ashore(): Promise<Map<string, { accepted: boolean; reason?: string }>> {
  const { entries } = await wholeFeed(edge.audited);
  return new Map(
    entries.flatMap(({ op, receipt }) =>
      op === undefined && receipt !== undefined
        ? [[receipt.opId, receipt as unknown as { accepted: boolean; reason?: string }] as const]
        : [],
    ),
  );
}

describe('protocol, the bridge between a real box and a real cloud', () => {
  it('a bridge uploads records and photographs and stores the receipts and keys aboard', async () => {
    const bridge = newBridge();
    const uid = newId();
    const profile = makeOp(
      'profile',
      { uid, name: { first: 'Ada', last: 'Reef' }, email: 'ada@example.org' },
      { by: uid as never },
    );
    const survey = surveyOp(uid);
    const content = photograph(900_001);
    await client.send('profile', { op: profile });
    await client.send('survey', { op: survey });
    expect(await client.photograph(survey.docId, content)).toMatchObject({ ok: true });
    await step(bridge);
    await step(bridge);
    const receipts = await ashore();
    expect(receipts.get(profile.opId)).toMatchObject({ accepted: true });
    expect(receipts.get(survey.opId)).toMatchObject({ accepted: true });
    expect(receipts.size).toBe(3);
    const blob = await fetch(`${cloud.url}/api/blobs/${sha256(content)}`, {
      headers: { authorization: `Bearer ${cloud.boxToken}` },
    });
    expect(Buffer.from(await blob.arrayBuffer()).equals(content)).toBe(true);
    const keys = await fetch(`${edge.url}/edge/reference/cloud-keys`, {
      headers: { authorization: `Bearer ${edge.adminToken}` },
    });
    expect(await keys.json()).toEqual({ keys: cloud.cloud.context.receiptKey.publicKeys });
    expect((await bridge.status()).state).toBe('idle');
  });

  it('a slow link carries previews before photographs and drops them once those are ashore', async () => {
    const survey = surveyOp();
    const content = await sharp(Buffer.from(Array.from({ length: 600 * 400 * 3 }, (_, n) => (n * 7919) % 251)), {
      raw: { width: 600, height: 400, channels: 3 },
    })
      .jpeg({ quality: 95 })
      .toBuffer();
    await client.send('survey', { op: survey });
    expect(await client.photograph(survey.docId, content)).toMatchObject({ ok: true });
    const { previews, boxes } = cloud.cloud.context;
    // Exhausts the daily byte budget in the middle of the photograph.
    await step(newBridge(undefined, { dailyBytes: 60_000 }));
    const [box] = await boxes.list();
    const aboard = () => previews.listAboard(box!.node, 10);
    expect(await aboard()).toMatchObject({
      total: 1,
      photographs: [{ sha256: sha256(content), surveyId: survey.docId }],
    });
    const picture = await previews.picture(sha256(content));
    expect(await sharp(picture).metadata()).toMatchObject({ format: 'webp', width: 320 });
    await step(newBridge());
    await vi.waitFor(async () => expect(await aboard()).toMatchObject({ total: 0 }), { timeout: 20_000 });
    expect(await previews.picture(sha256(content))).toBeUndefined();
  });

  it('two bridges at once upload everything exactly once', async () => {
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    for (let n = 0; n < 6; n++)
      expect(await client.photograph(survey.docId, photograph(200_000))).toMatchObject({ ok: true });
    const [one, other] = [newBridge(), newBridge()];
    await Promise.all([step(one), step(other)]);
    // Retries until the other bridge has sent what this one waits for.
    for (let n = 0; n < 20 && (await one.status()).owed.ops + (await other.status()).owed.ops > 0; n++)
      await Promise.all([step(one), step(other)]);
    const { entries } = await wholeFeed(edge.audited);
    const written = entries.flatMap(({ op }) => (op === undefined ? [] : [op.opId])).sort();
    expect(
      entries.flatMap(({ op, receipt }) => (op === undefined && receipt !== undefined ? [receipt.opId] : [])).sort(),
    ).toEqual(written);
  });

  it('an op quarantined ashore is reported aboard, frees nothing and blocks nothing', async () => {
    const bridge = newBridge();
    const uid = newId();
    const broken = makeOp('survey', { id: newId(), user: { uid }, date: 17 }, { by: uid as never });
    const good = surveyOp(uid);
    await client.send('survey', { op: broken });
    await client.send('survey', { op: good });
    await step(bridge);
    await step(bridge);
    const receipts = await ashore();
    expect(receipts.get(good.opId)).toMatchObject({ accepted: true });
    expect(receipts.get(broken.opId)).toMatchObject({ accepted: false });
  });

  it('a cloud op parked by another sender receives its bytes from this one', async () => {
    const bridge = newBridge();
    const survey = surveyOp();
    const content = photograph(50_000);
    const op: Op = imageOp(survey.docId, content);
    await client.send('survey', { op: survey });
    await step(bridge);
    expect(await cloud.ops([op], undefined, STAFF_TOKEN)).toMatchObject([{ opId: op.opId, needs: [sha256(content)] }]);
    expect(await client.photograph(survey.docId, content)).toMatchObject({ ok: true });
    await step(bridge);
    // Bytes are there now: the cloud ingested the operation automatically.
    expect(await cloud.ops([op], undefined, STAFF_TOKEN)).toMatchObject([
      { opId: op.opId, receipt: { accepted: true } },
    ]);
  });

  it('a bridge with an unknown token reports the refusal and does not retry every second', async () => {
    const bridge = newBridge('token-that-nobody-registered');
    expect(await step(bridge)).toBeGreaterThanOrEqual(60_000);
    expect(await bridge.status()).toMatchObject({ state: 'refused' });
    expect((await bridge.status()).text).toMatch(/does not know the token/);
  });

  it('a bridge reports that the cloud is away and resumes where it was', async () => {
    const bridge = newBridge();
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    await cloud.stop();
    await step(bridge);
    expect(await bridge.status()).toMatchObject({ state: 'no-link' });
    await cloud.restart();
    await step(bridge);
    expect((await ashore()).get(survey.opId)).toMatchObject({ accepted: true });
  });

  it('verify checks every receipted photograph with the cloud and reports the result', async () => {
    const bridge = newBridge();
    await step(bridge);
    const answer = await fetch(`${edge.url}/edge/bridge`, {
      method: 'POST',
      headers: { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'verify' }),
    });
    expect(answer.status).toBe(200);
    await step(bridge);
    const said = (await (
      await fetch(`${edge.url}/edge/bridge`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
    ).json()) as { report: { verified: unknown } };
    expect(said.report.verified).toMatchObject({ asked: 9, missing: 0 });
  });

  it('a paused bridge shows staff ashore the reason until the pause ends', async () => {
    const bridge = newBridge(cloud.boxToken, { cloudPollMs: 0 });
    const tell = (action: 'pause' | 'resume') =>
      fetch(`${edge.url}/edge/bridge`, {
        method: 'POST',
        headers: { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ action }),
      });
    const warnings = async () =>
      (await cloud.get<{ boxes: { node: string; warnings: string[] }[] }>('/api/fleet', STAFF_TOKEN)).body.boxes
        .find(({ node }) => node === edge.nodeId)
        ?.warnings.join(' ');
    await tell('pause');
    await step(bridge);
    expect(await warnings()).toMatch(/Nothing moves: The bridge is paused at the box/);
    await tell('resume');
    await step(bridge);
    expect(await warnings()).not.toMatch(/Nothing moves/);
  });

  it('2§3: a saved analysis passes through the box to the cloud once, byte for byte', async () => {
    const tablet = await openTestTablet();
    closers.push(() => void tablet.close());
    const {
      edge: boxes,
      account: { people },
      census: { surveys, images, analyses },
      custody: { sending },
    } = tablet.repositories;
    await people.createPending({ email: 'eve@example.org', name: { first: 'Eve', last: 'Reef' } });
    const surveyId = await surveys.add({
      name: 'Moore',
      date: '2026-11-20',
      type: 'scuba',
      location: { id: '16-071', regionId: 'gbr', name: 'Moore Reef' },
    });
    const { id: imageId } = await images.addPhotograph(
      new File([new Uint8Array(photograph(4000))], 'G1.JPG', { type: 'image/jpeg' }),
      surveyId,
    );
    const image = await analyses.image(surveyId, imageId);
    const marks: FreeDrawMark[] = [
      {
        kind: 'stroke',
        since: 1,
        paints: categoryClass('reef_softcoral')!,
        points: [
          [0.12345, 0.1],
          [0.2, 0.99999],
        ],
      },
      { kind: 'zap', since: 2, paints: categoryClass('background_water')! },
    ];
    for (const mark of marks) await analyses.journal(image).apply({ kind: 'add', mark });
    const analysisId = await analyses.saveFreeDraw({
      image,
      analysisId: null,
      version: 3,
      marks,
      width: 4000,
      height: 3000,
      stats: { coverage: 1, categories: [] },
      preview: null,
    });
    const stop = sending.facts.subscribe(() => undefined);
    await boxes.link.pair(edge.url, edge.code);
    await until(() => sending.facts.get().state === 'done', 'all aboard');
    stop();
    await step(newBridge());
    const [own] = (await tablet.context.store.db.ops.toArray()).filter(({ kind }) => kind === 'analysis');
    const aboard = (await wholeFeed(edge.audited)).entries.flatMap(({ op }) => (op?.docId === analysisId ? [op] : []));
    const there = (await cloud.changes(0, STAFF_TOKEN)).entries.flatMap(({ op }) =>
      op?.docId === analysisId ? [op] : [],
    );
    const text = canonicalJson(own!.op as never);
    expect([aboard.map((op) => canonicalJson(op as never)), there.map((op) => canonicalJson(op as never))]).toEqual([
      [text],
      [text],
    ]);
    const read = readFreeDraw((await cloud.cloud.context.store.document('analysis', analysisId))!.folded.doc);
    expect(read).toMatchObject({ kind: 'free-draw', version: 3, marks, size: { width: 4000, height: 3000 } });
    expect((await cloud.cloud.context.store.document('image', imageId))!.owned).toMatchObject({
      meta: { analysis: { total: 1 } },
    });
  });
});
