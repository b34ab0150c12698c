import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Bridge } from '../../../cloud-sync/bridge/bridge';
import { HttpEdge } from '../../../cloud-sync/bridge/link/http-edge';
import { HttpLink } from '../../../cloud-sync/bridge/link/http-link';
import type { Edge } from '../../../edge-server/app';
import { buildEdge } from '../../../edge-server/app';
import { planExport } from '../../../edge-server/drive/export-plan';
import type { FreeingEvidence } from '../../../edge-server/store/freed-bytes';
import type { SqliteAppendStore } from '../../../edge-server/store/sqlite-append-store';
import { readSettings } from '../../../edge-server/settings';
import { LIMITS } from '../../../src/domain/limits';
import type { Op } from '../../../src/domain/op/op';
import type { FreeingReply } from '../../../src/protocol/edge-http';
import type { Receipt } from '../../../src/protocol/receipt';
import { realDisk } from '../../../src/server/files/disk';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import { MemoryState } from '../../support/doubles/bridge-world';
import { FakeCloud } from '../../support/doubles/fake-cloud';
import { TestTime } from '../../support/test-time';
import { tempFolder } from '../../support/servers/client';
import type { EdgeClient } from '../../support/servers/edge-client';
import { imageOp, makeOp, newId, pairedClient, photograph, sha256, surveyOp } from '../../support/servers/edge-client';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const GB = 1e9;
const DAY = 86_400_000;
const STORED = '2026-11-21T00:00:00.000Z';

/** In-memory cloud with signed receipts, as a box requires. */
class SigningCloud extends FakeCloud {
  constructor(readonly signer: ReceiptSigner) {
    super(new TestTime());
    this.timeMs = Date.parse(STORED) + DAY;
  }

  override async keys() {
    return { keys: this.signer.publicKeys.map((key) => ({ ...key, for: 'receipt' as const })) };
  }

  override receiptFor(op: Op, accepted = true): Receipt {
    const { sig: _sig, kid: _kid, ...rest } = super.receiptFor(op, accepted);
    return this.signer.signReceipt(rest as Parameters<ReceiptSigner['signReceipt']>[0]);
  }
}

const folder = tempFolder('edge-freeing');
const home = path.join(folder.path, 'home');
/** Free disk space reported to the box. */
let free = 60 * GB;
/** Awaited before a photograph is deleted. */
let beforeUnlink: Promise<void> | undefined;
/** Makes the next deletion of a photograph throw. */
let unlinkFails = false;
let edge: Edge;
let url = '';
let client: EdgeClient;
let cloud: SigningCloud;
let bridge: Bridge;
let close = (): void => undefined;

async function start(deviceId?: string): Promise<void> {
  const settings = readSettings({
    REEF_HOME: home,
    EDGE_PORT: '0',
    MIN_FREE_GB: '0',
    EDGE_ADMIN_TOKEN: 'the-admin-token-of-the-test',
  });
  const disk = {
    ...realDisk,
    statfs: async () => ({ free, size: 100 * GB }),
    unlink: async (file: string) => {
      if (file.includes('blobs')) await beforeUnlink;
      if (unlinkFails && file.includes('blobs')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      if (file.includes('blobs')) free += (await realDisk.size(file)) ?? 0;
      await realDisk.unlink(file);
    },
  };
  edge = await buildEdge(settings, { log: pino({ level: 'silent' }), disk });
  url = await edge.listen();
  client = await pairedClient({ url, code: edge.context.pairing.code() }, deviceId);
  const link = new HttpLink({ url: new URL(url), token: () => 'the-admin-token-of-the-test', silenceMs: 20_000 });
  const time = new TestTime();
  bridge = new Bridge({
    edge: new HttpEdge(link),
    cloud,
    state: new MemoryState(),
    clock: time,
    timers: time,
    random: () => 0.5,
    limits: { itemRetryMs: 1, cloudPollMs: 0 },
  });
  close = () => link.close();
}

async function stop(): Promise<void> {
  client.close();
  close();
  await edge.close();
}

beforeAll(async () => {
  cloud = new SigningCloud(await ReceiptSigner.open(path.join(folder.path, 'cloud-key.json')));
  await start();
});
afterAll(async () => {
  await stop();
  folder.remove();
});
beforeEach(() => {
  free = 60 * GB;
  unlinkFails = false;
  beforeUnlink = undefined;
});

const step = () => bridge.step(new AbortController().signal);
const headers = { authorization: 'Bearer the-admin-token-of-the-test', 'content-type': 'application/json' };
const post = async (place: string, body: object) => {
  const answer = await fetch(url + place, { method: 'POST', headers, body: JSON.stringify(body) });
  return {
    status: answer.status,
    body: (await answer.json()) as FreeingReply & { error?: { code: string; field?: string } },
  };
};
const get = (place: string) => fetch(url + place, { headers });
const fileOf = (hash: string) => path.join(home, 'edge', 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash);
const isHere = (hash: string) => existsSync(fileOf(hash));
const surveyAt = async (id: string) =>
  ((await (await get('/edge/surveys')).json()) as { id: string; images: object }[]).find((one) => one.id === id)
    ?.images;

/** Survey with photographs, all receipted ashore with the receipts aboard. */
async function ashore(...pictures: readonly Buffer[]): Promise<{ survey: Op; ops: Op[] }> {
  const survey = surveyOp();
  await client.send('survey', { op: survey });
  const ops = pictures.map((picture) => imageOp(survey.docId, picture));
  for (const [i, op] of ops.entries()) {
    await client.upload(op, pictures[i] ?? Buffer.alloc(0));
    expect(await client.send('image:record', { op })).toMatchObject({ ok: true });
  }
  await step();
  await step();
  return { survey, ops };
}

/** Runs one freeing round as the cloud would; returns what was asked and freed. */
async function freeNow(word: object = {}): Promise<{ asked: readonly string[]; freed: FreeingReply['freed'] }> {
  const { ask } = (await post('/edge/freeing', {})).body;
  if (ask === null) return { asked: [], freed: null };
  const answer = {
    id: ask.id,
    storeEpoch: cloud.storeEpoch,
    time: new Date(cloud.timeMs ?? 0).toISOString(),
    missing: ask.sha256.filter((hash) => !cloud.blobs.has(hash)),
    ...word,
  };
  return { asked: ask.sha256, freed: (await post('/edge/freeing', { answer })).body.freed };
}

describe('protocol, Freeing: a box', () => {
  it('a box frees the oldest verified photographs only above 80 % of its disk', async () => {
    const picture = await sharp({
      create: {
        width: 1200,
        height: 900,
        channels: 3,
        background: '#136',
        noise: { type: 'gaussian', mean: 90, sigma: 40 },
      },
    })
      .jpeg()
      .toBuffer();
    const later = photograph(40_000);
    const { survey, ops } = await ashore(picture);
    await ashore(later);
    expect(isHere(sha256(picture)) && isHere(sha256(later))).toBe(true);
    expect((await post('/edge/freeing', {})).body).toEqual({ ok: true, freed: null, ask: null });
    free = 20 * GB - 1;
    expect((await post('/edge/freeing', {})).body.ask?.sha256, 'only enough to free space').toEqual([sha256(picture)]);
    const had = cloud.calls.length;
    await step();
    expect(cloud.calls.slice(had).join(' '), 'the cloud was asked just before').toMatch(/have 1 .*identity/);
    expect([isHere(sha256(picture)), isHere(sha256(later))]).toEqual([false, true]);

    const answer = await get(`/edge/blobs/${sha256(picture)}`);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        ok: false,
        error: expect.objectContaining({
          code: 'not-found',
          field: 'freed',
          ashore: true,
          message: expect.stringMatching(/original is ashore/),
        }),
      },
    ]);
    for (const asked of ['', '?size=4000']) {
      const shown = await get(`/edge/previews/${ops[0]?.docId ?? ''}${asked}`);
      const { width } = await sharp(Buffer.from(await shown.arrayBuffer())).metadata();
      expect([shown.status, width, shown.headers.get('picture-size')], asked).toEqual([200, 800, '800']);
    }
    expect(await surveyAt(survey.docId), 'tablets count as before').toEqual({ total: 1, here: 1, ashore: 1, freed: 1 });
    const meta = (await (await get('/edge/meta')).json()) as { totals: { bytes: number }; owedBytes: number };
    expect(meta).toMatchObject({ owedBytes: 0, totals: { bytes: later.length } });
    const page = await (await get('/edge/console')).text();
    expect(page).toMatch(/Freed/);
    expect(await (await get('/metrics')).text()).toContain(`reef_edge_freed_bytes_total{why="disk"} ${picture.length}`);
    expect((await get('/edge/export')).status, 'nothing to carry ashore').toBe(404);
    const source = {
      database: edge.context.record.database,
      identity: edge.context.store.identity,
      name: 'Box',
      version: '0',
      people: { keys: [], statements: [] },
      blobBytes: (hash: string) => edge.context.blobs.size(hash),
    };
    const { manifest, blobs } = await planExport(source, { since: 0, all: true, maxBytes: Infinity, now: 0 });
    expect(
      [manifest.withoutBytes, blobs.map(({ sha256: hash }) => hash)],
      'a full bundle lists it without bytes',
    ).toEqual([1, [sha256(later)]]);

    await post('/edge/bridge', { action: 'verify' });
    await step();
    const report = async () =>
      ((await (await get('/edge/bridge')).json()) as { report: { verified: object; held: number } }).report;
    expect((await report()).verified, 'freed bytes are requested like any others').toMatchObject({
      asked: 2,
      missing: 0,
    });
    cloud.blobs.delete(sha256(picture));
    await new Promise((resolve) => void setTimeout(resolve, 2));
    await post('/edge/bridge', { action: 'verify' });
    for (let n = 0; n < 3; n++) await step();
    expect(await report()).toMatchObject({ verified: { asked: 2, missing: 1 }, held: 1 });
    expect((await bridge.status()).held[0], 'and the outcome is reported').toMatchObject({
      message: expect.stringMatching(/freed the room/),
    });
    cloud.blobs.set(sha256(picture), picture);
    await step();
  });

  it('a freed photograph is requested again only for a new record', async () => {
    const picture = photograph(30_000);
    const { survey, ops } = await ashore(picture);
    free = 0;
    expect((await freeNow()).freed?.photographs).toBeGreaterThan(0);
    expect(isHere(sha256(picture))).toBe(false);
    free = 60 * GB;
    const [op = surveyOp()] = ops;
    expect(await client.announce(op, picture)).toMatchObject({ ok: true, offset: picture.length, complete: true });
    expect(await client.send('image:record', { op }), 'its receipt is valid').toMatchObject({
      ok: true,
      receipt: { accepted: true, blob: { sha256: sha256(picture) } },
    });
    const edit = makeOp('image', { ...op.body, caption: 'later' }, { lc: 2, over: { caption: [] } });
    expect(await client.send('image:record', { op: edit })).toMatchObject({ ok: true, receipt: { accepted: true } });

    const other = imageOp(survey.docId, picture);
    expect(await client.send('image:record', { op: other }), 'no receipt for bytes that are not here').toMatchObject({
      ok: false,
      error: { code: 'incomplete', offset: 0 },
    });
    expect(await client.announce(other, picture)).toMatchObject({ ok: true, offset: 0, complete: false });
    await client.upload(other, picture);
    expect(await client.send('image:record', { op: other })).toMatchObject({
      ok: true,
      receipt: { blob: { sha256: sha256(picture) } },
    });
    expect((await get(`/edge/blobs/${sha256(picture)}`)).status).toBe(200);
    free = 0;
    expect((await post('/edge/freeing', {})).body.ask?.sha256 ?? [], 'what is not all ashore stays').not.toContain(
      sha256(picture),
    );
  });

  it('bytes of ops without a cloud receipt stay, also of ops written during the check', async () => {
    const [edited, doubled, refused] = [photograph(20_000), photograph(20_001), photograph(20_002)];
    const { survey, ops } = await ashore(edited, doubled, refused);
    await client.send('image:record', {
      op: makeOp('image', { ...ops[0]?.body, caption: 'x' }, { lc: 2, over: { caption: [] } }),
    });
    const bad = imageOp(survey.docId, refused, newId());
    cloud.ops.set(bad.opId, { op: bad, by: undefined, receipt: cloud.receiptFor(bad, false) });
    await post('/edge/ops', { ops: [{ op: bad, receipt: cloud.receiptFor(bad, false) }] });
    free = 0;
    const { ask } = (await post('/edge/freeing', {})).body;
    expect(ask?.sha256).toContain(sha256(doubled));
    for (const kept of [edited, refused]) expect(ask?.sha256).not.toContain(sha256(kept));
    const second = imageOp(survey.docId, doubled);
    await client.upload(second, doubled);
    await client.send('image:record', { op: second });
    await post('/edge/freeing', { answer: { id: ask?.id, storeEpoch: cloud.storeEpoch, time: STORED, missing: [] } });
    for (const kept of [edited, doubled, refused]) expect(isHere(sha256(kept))).toBe(true);
  });

  it('a stale, foreign or unrequested answer, or an invalid receipt, frees nothing', async () => {
    const picture = photograph(25_000);
    await ashore(picture);
    free = 0;
    const { ask: first } = (await post('/edge/freeing', {})).body;
    const { ask } = (await post('/edge/freeing', {})).body;
    const word = { storeEpoch: cloud.storeEpoch, time: STORED, missing: [] };
    expect(await post('/edge/freeing', { answer: { ...word, id: first?.id } })).toMatchObject({
      status: 400,
      body: { error: { field: 'id' } },
    });
    expect(
      await post('/edge/freeing', { answer: { ...word, id: ask?.id, storeEpoch: 'CloudEpoch000077' } }),
    ).toMatchObject({ status: 409, body: { error: { code: 'receipt-mismatch', field: 'storeEpoch' } } });
    expect(
      await post('/edge/freeing', { answer: { ...word, id: ask?.id } }),
      'each question is answered once',
    ).toMatchObject({ status: 400 });
    expect(await post('/edge/freeing', { answer: { ...word, time: 'soon', id: ask?.id } })).toMatchObject({
      status: 400,
    });
    expect((await freeNow({ missing: [sha256(picture)] })).asked).toContain(sha256(picture));
    expect(isHere(sha256(picture)), 'the cloud does not have it').toBe(true);
    // Repeat requests are delayed; a new box with the same record does not know of the first.
    await stop();
    await start(client.deviceId);
    const { database } = edge.context.record;
    const read = database.prepare<[string], { seq: number; receipt: string }>(
      "SELECT seq, receipt FROM feed WHERE stage = 'cloud' AND kind = 'image' AND json_extract(receipt, '$.blob.sha256') = ?",
    );
    const row = read.get(sha256(picture));
    const put = database.prepare<[string, number]>('UPDATE feed SET receipt = ? WHERE seq = ?');
    put.run(
      JSON.stringify({ ...(JSON.parse(row?.receipt ?? '{}') as object), storedAt: '2020-01-01T00:00:00.000Z' }),
      row?.seq ?? 0,
    );
    expect((await freeNow()).asked).toContain(sha256(picture));
    expect(isHere(sha256(picture)), 'a receipt that was altered').toBe(true);
    put.run(row?.receipt ?? '', row?.seq ?? 0);
  });

  it('a record that arrives while its bytes are being deleted gets no receipt for them', async () => {
    const picture = photograph(26_500);
    const { survey } = await ashore(picture);
    free = 0;
    const { ask } = (await post('/edge/freeing', {})).body;
    let goOn = (): void => undefined;
    beforeUnlink = new Promise((resolve) => (goOn = resolve));
    const freeing = post('/edge/freeing', {
      answer: {
        id: ask?.id,
        storeEpoch: cloud.storeEpoch,
        time: STORED,
        missing: ask?.sha256.filter((hash) => hash !== sha256(picture)),
      },
    });
    await expect.poll(() => edge.context.record.freed.unsettled()).toHaveLength(1);
    const other = imageOp(survey.docId, picture);
    const answered = client.send('image:record', { op: other });
    for (let n = 0; n < 5; n++) await client.send('query', { name: 'meta' });
    goOn();
    expect((await freeing).body.freed?.photographs).toBe(1);
    expect(await answered).toMatchObject({ ok: false, error: { code: 'incomplete' } });
    expect(isHere(sha256(picture))).toBe(false);
  });

  it('a running export retains the bytes that it listed', async () => {
    const picture = photograph(27_000);
    await ashore(picture);
    free = 0;
    const release = edge.context.freeing.pause();
    expect((await post('/edge/freeing', {})).body.ask).toBeNull();
    release();
    expect((await post('/edge/freeing', {})).body.ask?.sha256).toContain(sha256(picture));
  });

  it('a crash during freeing leaves the photograph here or freed, never damaged', async () => {
    const [half, whole, failed] = [photograph(28_000), photograph(28_001), photograph(28_002)];
    const { survey } = await ashore(half, whole, failed);
    free = 0;
    unlinkFails = true;
    await freeNow();
    expect(isHere(sha256(failed)), 'deleting failed').toBe(true);
    expect(edge.context.record.freed.find(sha256(failed)), 'and it counts as here').toBeUndefined();
    unlinkFails = false;
    const store = edge.context.store as SqliteAppendStore;
    for (const picture of [half, whole])
      expect(
        await store.markFreed(store.freed.evidence(sha256(picture)) as FreeingEvidence, {
          why: 'disk',
          cloudTime: STORED,
          freedAt: STORED,
        }),
      ).toBe(true);
    await realDisk.unlink(fileOf(sha256(whole)));
    await stop();
    free = 60 * GB;
    await start(client.deviceId);
    expect((await get(`/edge/blobs/${sha256(half)}`)).status).toBe(200);
    expect(await (await get(`/edge/blobs/${sha256(whole)}`)).json()).toMatchObject({
      error: { field: 'freed', ashore: true },
    });
    expect(await surveyAt(survey.docId)).toEqual({ total: 3, here: 3, ashore: 3, freed: 1 });
    expect(readdirSync(path.join(home, 'edge', 'quarantine'))).toEqual([]);
    expect(
      edge.context.record.database.prepare('SELECT count(*) AS n FROM image_blobs WHERE quarantined = 1').get(),
    ).toEqual({ n: 0 });
  });

  it('a new cloud epoch frees nothing until all is receipted, and requests freed bytes again', async () => {
    const [gone, here] = [photograph(29_000), photograph(29_001)];
    const { survey, ops } = await ashore(gone);
    free = 0;
    await freeNow();
    expect(isHere(sha256(gone))).toBe(false);
    free = 60 * GB;
    await ashore(here);
    cloud.storeEpoch = 'CloudEpoch000002';
    cloud.ops.clear();
    cloud.blobs.clear();
    cloud.feed = [];
    // First receipt informs the box before its photographs exist.
    const note = surveyOp();
    await client.send('survey', { op: note });
    await post('/edge/ops', { receipts: [cloud.receiptFor(note)] });
    free = 0;
    expect((await post('/edge/freeing', {})).body.ask).toBeNull();
    expect(await (await get(`/edge/blobs/${sha256(gone)}`)).json()).toMatchObject({
      error: { field: 'freed', ashore: false, message: expect.stringMatching(/begun a new store/) },
    });
    free = 60 * GB;
    expect(await (await get('/edge/console')).text()).toMatch(/here only as a preview/);
    expect(await surveyAt(survey.docId), 'tablets see that the box no longer has it').toEqual({
      total: 1,
      here: 0,
      ashore: 0,
    });
    const [op = surveyOp()] = ops;
    expect(await client.announce(op, gone), 'a tablet that still has it sends it').toMatchObject({
      ok: true,
      offset: 0,
      complete: false,
    });
    await client.upload(op, gone);
    expect(await client.send('image:record', { op })).toMatchObject({ ok: true });
    expect((await get(`/edge/blobs/${sha256(gone)}`)).status).toBe(200);
    for (let n = 0; n < 3; n++) await step();
    expect([cloud.blobs.has(sha256(gone)), cloud.blobs.has(sha256(here))]).toEqual([true, true]);
    free = 0;
    expect((await post('/edge/freeing', {})).body.ask?.sha256).toEqual(
      expect.arrayContaining([sha256(gone), sha256(here)]),
    );
  });

  it('the 30 days are measured by the cloud’s clock, whatever the box’s clock shows', async () => {
    const picture = photograph(26_000);
    await ashore(picture);
    edge.context.time.trust(Date.parse(STORED) + 400 * DAY);
    cloud.timeMs = Date.parse(STORED) + LIMITS.boxFreeAfterMs - 1000;
    expect((await freeNow()).asked).toContain(sha256(picture));
    expect(isHere(sha256(picture))).toBe(true);
    await stop();
    await start(client.deviceId);
    cloud.timeMs += 1000;
    await freeNow();
    expect(isHere(sha256(picture))).toBe(false);
    expect(await (await get('/metrics')).text()).toMatch(/reef_edge_freed_photographs_total\{why="time"\} [1-9]/);
  });
});
