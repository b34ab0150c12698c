import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { importRescue } from '../../../edge-server/commands/import-rescue';
import { readSettings } from '../../../edge-server/settings';
import type { SurveyId } from '../../../src/domain/ids';
import type { RescueProgress } from '../../../src/data/repositories/index';
import type { RescueTarget } from '../../../src/data/repositories/custody/rescue-repository';
import { wholeFeed } from '../../support/servers/client';
import { startEdge } from '../../support/servers/edge';
import { SlowNetwork } from '../../support/tablet/slow-network';
import { photograph, until } from '../../support/tablet/tablet';
import { closers } from '../../support/tablet/closers';
import { edge, survey, tablet, type RealTablet } from '../../support/tablet/real-scene';

/** In-memory target; stores the written file. */
function memory(spoil: (file: Blob) => Blob = (file) => file): RescueTarget & { file: Blob; abandoned: boolean } {
  const parts: (Uint8Array<ArrayBuffer> | Blob)[] = [];
  const target = {
    file: new Blob(),
    abandoned: false,
    write: async (part: Uint8Array<ArrayBuffer> | Blob) => void parts.push(part),
    finish: async () => (target.file = spoil(new Blob(parts))),
    abandon: async () => {
      target.abandoned = true;
    },
  };
  return target;
}

const watching = (seen: RescueProgress[] = []) => ({
  signal: new AbortController().signal,
  onProgress: (progress: RescueProgress) => void seen.push(progress),
});

async function rescued(
  from: RealTablet,
  photographs = 4,
): Promise<{ file: Blob; surveyId: SurveyId; hashes: string[] }> {
  const surveyId = await survey(from);
  const hashes: string[] = [];
  for (let i = 0; i < photographs; i++)
    hashes.push(
      (await from.repositories.census.images.addPhotograph(photograph(500 + i, 90_000 + i * 777), surveyId)).sha256,
    );
  const target = memory();
  await from.repositories.custody.rescue.createCopy(target, watching());
  return { file: target.file, surveyId, hashes };
}

async function receiptsOf(one: RealTablet): Promise<Map<string, string>> {
  const rows = await one.context.store.db.receipts.toArray();
  return new Map(rows.map(({ opId, receipt }) => [opId, receipt.sig]));
}

const done = (one: RealTablet) =>
  until(() => one.repositories.custody.sending.facts.get().state === 'done', 'nothing owed');

describe('receipts: a rescue copy sends unsent work from another tablet, under the same receipts', () => {
  test('a copy of A sent by B gives A the same receipts, and the box counts each op once', async () => {
    const box = await edge();
    const [a, b] = [await tablet({ name: 'A' }), await tablet({ name: 'B' })];
    const { file, surveyId, hashes } = await rescued(a);

    const opened = await b.repositories.custody.rescue.open(file);
    expect(opened.contents).toMatchObject({
      photographs: 4,
      photographsPresent: 0,
      records: 6,
      recordsPresent: 0,
      truncatedPhotographs: 0,
      deviceName: 'A',
      surveys: [{ name: 'Dive 1', photographs: 4 }],
    });
    // Opening a file imports nothing.
    expect(await b.context.store.db.ops.count()).toBe(0);
    const seen: RescueProgress[] = [];
    expect(await opened.importCopy(watching(seen))).toEqual({
      photographs: 4,
      records: 2,
      known: 0,
      damaged: 0,
      clashing: 0,
    });
    expect(seen.at(-1)).toMatchObject({ step: 'taking', done: file.size === 0 ? 0 : seen.at(-1)?.total });
    expect(b.repositories.custody.sending.facts.get().owed).toMatchObject({ photographs: 4, records: 2 });

    await b.repositories.edge.link.pair(box.url, box.code);
    await done(b);
    const before = await wholeFeed(box.audited);
    expect(before.entries.flatMap(({ op }) => (op?.kind === 'image' ? [op.body['sha256']] : [])).sort()).toEqual(
      [...hashes].sort(),
    );
    const signatures = await receiptsOf(b);

    const own = [...a.context.opIndex.entries.keys()];
    await a.repositories.edge.link.pair(box.url, box.code);
    await done(a);
    const got = await receiptsOf(a);
    for (const opId of own) expect(got.get(opId)).toBe(signatures.get(opId));
    const counted = new Set(before.entries.flatMap(({ op }) => op?.opId ?? []));
    const added = (await wholeFeed(box.audited)).entries.flatMap(({ op }) =>
      op === null || op === undefined || counted.has(op.opId) ? [] : [op.kind],
    );
    expect(added, 'only of the sign-in aboard').toEqual(['profile']);
    const surveys = (await (
      await fetch(`${box.url}/edge/surveys`, { headers: { authorization: `Bearer ${box.adminToken}` } })
    ).json()) as { id: string; images: { total: number } }[];
    expect(surveys.find(({ id }) => id === surveyId)?.images.total).toBe(4);
  });

  test('a box imports the file twice with the same receipts, and the tablet gets those later', async () => {
    const home = mkdtempSync(path.join(os.tmpdir(), 'reef-rescue-'));
    closers.push(async () => rmSync(home, { recursive: true, force: true }));
    const a = await tablet();
    const { file, hashes } = await rescued(a);
    const place = path.join(home, 'copy.tar');
    writeFileSync(place, Buffer.from(await file.arrayBuffer()));
    const settings = readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0' });
    const log = pino({ level: 'silent' });
    expect(await importRescue(settings, log, place)).toEqual({ receipted: 6, photographs: 4, refused: [] });
    expect(await importRescue(settings, log, place)).toEqual({ receipted: 6, photographs: 0, refused: [] });
    writeFileSync(place, Buffer.from(await file.slice(0, file.size - 150_000).arrayBuffer()));
    const other = readSettings({ REEF_HOME: path.join(home, 'other'), EDGE_PORT: '0', MIN_FREE_GB: '0' });
    const cut = await importRescue(other, log, place);
    expect(cut).toMatchObject({ receipted: 4, photographs: 2 });
    expect(cut.refused.map(({ why }) => why.split(':')[0])).toEqual(['incomplete', 'incomplete']);
    writeFileSync(place, 'no tar');
    await expect(importRescue(settings, log, place)).rejects.toMatchObject({ code: 'bad-message' });

    const box = await startEdge({ home });
    closers.push(() => box.remove());
    const before = await wholeFeed(box.audited);
    expect(before.entries.flatMap(({ op }) => (op?.kind === 'image' ? [op.body['sha256']] : [])).sort()).toEqual(
      [...hashes].sort(),
    );
    await a.repositories.edge.link.pair(box.url, box.code);
    await done(a);
    const kinds = (await wholeFeed(box.audited)).entries.slice(before.entries.length).map(({ op }) => op?.kind);
    expect(kinds, 'only of the sign-in aboard').toEqual(['profile']);
  });

  test('a second import, or one by the author’s own tablet, duplicates nothing', async () => {
    const [a, b] = [await tablet(), await tablet()];
    const { file } = await rescued(a);
    await (await b.repositories.custody.rescue.open(file)).importCopy(watching());
    const counts = async (one: RealTablet) => ({
      ops: await one.context.store.db.ops.count(),
      blobs: await one.context.store.db.blobs.count(),
    });
    const before = await counts(b);
    const again = await b.repositories.custody.rescue.open(file);
    expect(again.contents).toMatchObject({ photographsPresent: 4, recordsPresent: 6 });
    expect(await again.importCopy(watching())).toEqual({
      photographs: 0,
      records: 0,
      known: 6,
      damaged: 0,
      clashing: 0,
    });
    expect(await counts(b)).toEqual(before);
    const own = await counts(a);
    expect(await (await a.repositories.custody.rescue.open(file)).importCopy(watching())).toMatchObject({
      photographs: 0,
      known: 6,
    });
    expect(await counts(a)).toEqual(own);
  });

  test('a truncated file yields the photographs before the cut and reports the rest', async () => {
    const [a, b] = [await tablet(), await tablet()];
    const { file } = await rescued(a);
    const opened = await b.repositories.custody.rescue.open(file.slice(0, file.size - 150_000));
    expect(opened.contents.truncatedPhotographs).toBe(2);
    expect(await opened.importCopy(watching())).toMatchObject({ photographs: 2, damaged: 2 });
    // Importing the whole file later adds the rest.
    expect(await (await b.repositories.custody.rescue.open(file)).importCopy(watching())).toMatchObject({
      photographs: 2,
      damaged: 0,
    });
    await expect(b.repositories.custody.rescue.open(file.slice(0, 900))).rejects.toMatchObject({ code: 'bad-message' });
    // Shorter than a tar header, and longer.
    for (const content of ['PK no tar at all', 'PK no tar at all'.repeat(100)])
      await expect(b.repositories.custody.rescue.open(new Blob([content]))).rejects.toThrow(
        'not a rescue copy. Nothing was imported or changed',
      );
  });

  test('a damaged photograph is skipped, and the others are imported', async () => {
    const [a, b] = [await tablet(), await tablet()];
    const { file } = await rescued(a);
    const bytes = new Uint8Array(await file.arrayBuffer());
    bytes[bytes.length - 5000] = (bytes[bytes.length - 5000] ?? 0) ^ 1;
    const opened = await b.repositories.custody.rescue.open(new Blob([bytes]));
    expect(await opened.importCopy(watching())).toMatchObject({ photographs: 3, damaged: 1 });
    const records = new Uint8Array(await file.arrayBuffer());
    const at = Buffer.from(records).indexOf('Agincourt');
    records[at] = 0x42;
    await expect(b.repositories.custody.rescue.open(new Blob([records]))).rejects.toMatchObject({
      code: 'hash-mismatch',
    });
  });

  test('a read-back detects a lost byte at once and rolls the export back', async () => {
    const a = await tablet();
    const surveyId = await survey(a);
    await a.repositories.census.images.addPhotograph(photograph(900), surveyId);
    const spoilt = memory(
      (file) => new Blob([file.slice(0, file.size - 60_000), new Uint8Array(1), file.slice(file.size - 59_999)]),
    );
    await expect(a.repositories.custody.rescue.createCopy(spoilt, watching())).rejects.toMatchObject({
      code: 'hash-mismatch',
    });
    expect(spoilt.abandoned).toBe(true);
    const given = new AbortController();
    given.abort(new Error('a person gave up'));
    const cancelled = memory();
    await expect(
      a.repositories.custody.rescue.createCopy(cancelled, { ...watching(), signal: given.signal }),
    ).rejects.toThrow('gave up');
    expect(cancelled.abandoned).toBe(true);
  });

  test('a rescue copy holds only work without receipts, with its survey and author', async () => {
    const box = await edge();
    const [a, b] = [await tablet(), await tablet()];
    const surveyId = await survey(a);
    await a.repositories.census.images.addPhotograph(photograph(1), surveyId);
    await a.repositories.edge.link.pair(box.url, box.code);
    await done(a);
    await expect(a.repositories.custody.rescue.createCopy(memory(), watching())).rejects.toMatchObject({
      code: 'not-found',
    });
    await a.repositories.custody.sending.pause();
    const late = await a.repositories.census.images.addPhotograph(photograph(2), surveyId);
    const target = memory();
    expect(await a.repositories.custody.rescue.createCopy(target, watching())).toMatchObject({
      photographs: 1,
      records: 4,
    });
    const opened = await b.repositories.custody.rescue.open(target.file);
    await opened.importCopy(watching());
    expect((await b.context.store.db.blobs.toCollection().primaryKeys()) as string[]).toEqual([late.sha256]);
    expect(b.context.opIndex.entriesOf('survey', surveyId)).toHaveLength(1);
  });

  test('a tablet restored from a copy takes a new id before it continues under the old one', async () => {
    const a = await tablet();
    const { file } = await rescued(a, 1);
    const b = await tablet();
    const surveyId = await survey(b, 'Ben');
    const deviceId = (await a.context.store.getMeta('deviceId')) ?? ('' as never);
    await b.context.store.setMeta('deviceId', deviceId);
    const added = await b.repositories.census.images.addPhotograph(photograph(77), surveyId);
    await (await b.repositories.custody.rescue.open(file)).importCopy(watching());
    expect(await b.context.store.getMeta('deviceId')).not.toBe(deviceId);
    const ops = await b.context.store.db.ops.toArray();
    expect(ops.filter(({ op }) => op.body['sha256'] === added.sha256)).toHaveLength(1);
    expect(ops.filter(({ opId }) => opId.startsWith(deviceId)).every(({ own }) => !own)).toBe(true);
  });

  test('a tablet older than its copy reissues shared ops once, without conflicts', async () => {
    const a = await tablet();
    const surveyId = await survey(a);
    const first = await a.repositories.census.images.addPhotograph(photograph(1), surveyId);
    const earlier = await a.context.store.db.ops.toArray();
    const bytes = await a.context.store.db.blobs.toArray();
    const deviceId = (await a.context.store.getMeta('deviceId')) ?? ('' as never);
    const counter = (await a.context.store.getMeta('counter')) ?? 0;
    await a.repositories.census.surveys.edit(surveyId, { notes: 'after the copy of the storage' });
    await a.repositories.census.images.addPhotograph(photograph(2), surveyId);
    const target = memory();
    await a.repositories.custody.rescue.createCopy(target, watching());

    const b = await tablet();
    const { db } = b.context.store;
    await db.ops.bulkAdd(earlier);
    await db.blobs.bulkAdd(bytes);
    for (const { kind, docId, arrival } of earlier) await db.dirty.put({ kind, docId, arrival });
    await db.meta.bulkPut([
      { key: 'deviceId', value: deviceId },
      { key: 'counter', value: counter },
      { key: 'arrival', value: 1000 },
      { key: 'generation', value: 50 },
    ]);
    await b.context.opIndex.follow();
    await (await b.repositories.custody.rescue.open(target.file)).importCopy(watching());
    expect(await b.context.store.getMeta('deviceId')).not.toBe(deviceId);
    const ops = await db.ops.toArray();
    expect(ops.filter(({ op }) => op.body['sha256'] === first.sha256)).toHaveLength(1);
    await b.context.projector.settle();
    const [shown] = await (await b.context.model).find('survey', { id: surveyId });
    expect(shown).toMatchObject({ conflicts: [], doc: { notes: 'after the copy of the storage' } });
  });

  test('an operation under way while a copy makes the tablet take a new id keeps its own', async () => {
    const box = await edge();
    const a = await tablet();
    const { file } = await rescued(a, 1);
    const network = new SlowNetwork();
    const b = await tablet({ openSocket: network.openSocket });
    const surveyId = await survey(b, 'Ben');
    const deviceId = (await a.context.store.getMeta('deviceId')) ?? ('' as never);
    await b.context.store.setMeta('deviceId', deviceId);
    await b.context.store.setMeta('counter', 8);
    await b.repositories.census.surveys.edit(surveyId, { name: 'Dive one' });
    network.holds = (_event, op) => op?.opId === `${deviceId}-9`;
    await b.repositories.edge.link.pair(box.url, box.code);
    await until(() => network.waiting.length > 0, 'the edit is under way');
    await (await b.repositories.custody.rescue.open(file)).importCopy(watching());
    expect(await b.context.store.getMeta('deviceId')).not.toBe(deviceId);
    network.letThrough();
    await done(b);
    const there = (await wholeFeed(box)).entries.flatMap(({ op }) => (op?.docId === surveyId ? [op.opId] : []));
    expect([there.length, there[1]]).toEqual([2, `${deviceId}-9`]);
  });
});
