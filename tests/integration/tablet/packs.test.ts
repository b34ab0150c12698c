import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IDBObjectStore } from 'fake-indexeddb';
import { describe, expect, test, vi } from 'vitest';
import type { PackItem, PackView } from '../../../src/data/repositories/index';
import { closers } from '../../support/tablet/closers';
import { edge, tablet } from '../../support/tablet/real-scene';
import { newOrigin, openTestTablet, until, type TestTabletOptions } from '../../support/tablet/tablet';

/** Server of archives by name, which notes the ranges that were asked for and may cut an answer. */
interface ArchiveServer {
  readonly files: Map<string, Buffer>;
  /** Bytes of the next answers before the connection breaks. */
  cuts: number[];
  /** Answers stay open at this byte until the client goes. */
  stallAt: number | null;
  readonly asked: { readonly name: string; readonly range: string | null; readonly ifRange: string | null }[];
  readonly fetch: NonNullable<TestTabletOptions['fetch']>;
}

async function archiveServer(boxUrl: string): Promise<ArchiveServer> {
  const server = createServer((request, response) => {
    const name = /\/tiles\/(.*)\.pmtiles$/.exec(request.url ?? '')?.[1] ?? '';
    const { range = null } = request.headers;
    const ifRange = request.headers['if-range'] ?? null;
    state.asked.push({ name, range, ifRange: typeof ifRange === 'string' ? ifRange : null });
    const body = state.files.get(name);
    if (body === undefined) return void response.writeHead(404).end();
    const etag = `"${hashOf(body)}"`;
    const from = range !== null && ifRange === etag ? Number(/\d+/.exec(range)?.[0]) : 0;
    const part = body.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      etag,
      'content-length': part.length,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` } : {}),
    });
    const cut = state.cuts.shift();
    if (cut !== undefined) return void response.write(part.subarray(0, cut), () => response.destroy());
    if (state.stallAt !== null) return void response.write(part.subarray(0, state.stallAt));
    response.end(part);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closers.push(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const state: ArchiveServer = {
    files: new Map(),
    cuts: [],
    stallAt: null,
    asked: [],
    fetch: (address, init) => fetch(address.includes('/tiles/') ? address.replace(boxUrl, url) : address, init),
  };
  return state;
}

function archive(text: string, bytes = 3_000_000): Buffer {
  return Buffer.concat([Buffer.from('PMTiles\u0003'), Buffer.from(text), Buffer.alloc(bytes, text.length)]);
}

const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex');
const itemOf = (name: string, body: Buffer): PackItem => ({ name, bytes: body.length, sha256: hashOf(body) });

/** Paired tablet whose archives come from a server of ours; live views of its packs. */
async function scene(options: TestTabletOptions = {}) {
  const box = await edge();
  const archives = await archiveServer(box.url);
  const one = await tablet({ fetch: archives.fetch, ...options });
  await one.repositories.edge.link.pair(box.url, box.code);
  const { packs } = one.repositories.edge;
  await until(() => one.repositories.edge.link.connectivity.get().answering === 'edge', 'the box answers');
  const stop = packs.packs.subscribe(() => undefined);
  closers.push(async () => stop());
  const view = (name: string): PackView | undefined => packs.packs.get().find((pack) => pack.name === name);
  const bytesOf = async (name: string, sha256?: string): Promise<Buffer | null> => {
    const found = await packs.locate(name, sha256);
    return found?.kind === 'file' ? Buffer.from(await found.file.arrayBuffer()) : null;
  };
  return { archives, tablet: one, packs, view, bytesOf };
}

describe('1§7, 3§7 map archives that a tablet takes along', () => {
  test('several are downloaded, found as files, and deleted', async () => {
    const { archives, packs, view, bytesOf } = await scene();
    const bodies = { 'reefs-gbr': archive('reefs'), 'base-gbr': archive('base', 10_000) };
    for (const [name, body] of Object.entries(bodies)) archives.files.set(name, body);
    const items = Object.entries(bodies).map(([name, body]) => itemOf(name, body));
    expect(await packs.locate('reefs-gbr')).toMatchObject({ kind: 'url' });
    await packs.download(items);
    for (const [name, body] of Object.entries(bodies)) {
      expect(view(name)).toMatchObject({ status: 'kept', received: body.length, sha256: hashOf(body) });
      expect((await bytesOf(name, hashOf(body)))?.equals(body)).toBe(true);
    }
    // Current ones are not fetched again.
    const before = archives.asked.length;
    await packs.download(items);
    expect(archives.asked.slice(before).filter(({ name }) => name !== 'land')).toEqual([]);
    // A version that is not stored is read from the server, which is in reach.
    expect(await packs.locate('reefs-gbr', 'f'.repeat(64))).toMatchObject({ kind: 'url' });
    await packs.remove(['reefs-gbr']);
    expect(view('reefs-gbr')).toBeUndefined();
    expect(view('base-gbr')?.status).toBe('kept');
    expect(await packs.locate('reefs-gbr')).toMatchObject({ kind: 'url' });
  });

  test('a cut download continues by If-Range where it ended, also after a restart', async () => {
    const origin = newOrigin();
    const { archives, packs, view, bytesOf, tablet: one } = await scene({ origin, database: 'resumes' });
    const body = archive('reefs');
    archives.files.set('reefs-gbr', body);
    archives.cuts = [1_500_000];
    await packs.download([itemOf('reefs-gbr', body)]);
    expect(view('reefs-gbr')).toMatchObject({ status: 'failed', why: { code: 'disconnected' } });
    const received = view('reefs-gbr')?.received ?? 0;
    expect(received).toBeGreaterThan(1_000_000);
    expect(await bytesOf('reefs-gbr')).toBeNull();
    await one.close();

    const again = await openTestTablet({ origin, database: 'resumes', fetch: archives.fetch });
    closers.push(() => again.close());
    await until(() => again.repositories.edge.link.connectivity.get().answering === 'edge', 'the box answers again');
    const later = again.repositories.edge.packs;
    const stop = later.packs.subscribe(() => undefined);
    await until(() => later.packs.get().find(({ status }) => status === 'paused'), 'the part');
    await later.download([itemOf('reefs-gbr', body)]);
    stop();
    expect(archives.asked.filter(({ name }) => name === 'reefs-gbr').at(-1)).toEqual({
      name: 'reefs-gbr',
      range: `bytes=${received}-`,
      ifRange: `"${hashOf(body)}"`,
    });
    const found = await later.locate('reefs-gbr', hashOf(body));
    expect(found?.kind === 'file' && Buffer.from(await found.file.arrayBuffer()).equals(body)).toBe(true);
    await again.repositories.edge.link.setOfflineByChoice(true);
    // Offline a stored one serves, of whichever version.
    expect(await later.locate('reefs-gbr', 'f'.repeat(64))).toMatchObject({ kind: 'file', sha256: hashOf(body) });
  });

  test('another version at the server starts again, and its parts are not mixed', async () => {
    const { archives, packs, view, bytesOf } = await scene();
    const [old, fresh] = [archive('old'), archive('fresh', 2_500_000)];
    archives.files.set('reefs-gbr', old);
    archives.cuts = [1_500_000];
    await packs.download([itemOf('reefs-gbr', old)]);
    archives.files.set('reefs-gbr', fresh);
    await packs.download([itemOf('reefs-gbr', fresh)]);
    expect(view('reefs-gbr')?.status).toBe('kept');
    expect((await bytesOf('reefs-gbr'))?.equals(fresh)).toBe(true);
  });

  test('bytes with another hash are refused and deleted; the older version stays', async () => {
    const { archives, packs, view, bytesOf } = await scene();
    const good = archive('good', 20_000);
    archives.files.set('reefs-gbr', good);
    await packs.download([itemOf('reefs-gbr', good)]);
    const wanted = archive('wanted', 20_000);
    archives.files.set('reefs-gbr', archive('damage', 20_000));
    await packs.download([itemOf('reefs-gbr', wanted)]);
    expect(view('reefs-gbr')).toMatchObject({ status: 'failed', received: 0, why: { code: 'bad-message' } });
    expect((await bytesOf('reefs-gbr', hashOf(good)))?.equals(good)).toBe(true);
  });

  test('a paused download keeps what arrived, and goes on', async () => {
    const { archives, packs, view, bytesOf } = await scene();
    const body = archive('reefs');
    archives.files.set('reefs-gbr', body);
    archives.stallAt = 2_200_000;
    const download = packs.download([itemOf('reefs-gbr', body)]);
    await until(() => (view('reefs-gbr')?.received ?? 0) >= 2_200_000, 'most of it');
    packs.pause();
    await download;
    expect(view('reefs-gbr')).toMatchObject({ status: 'paused', received: 2_200_000 });
    archives.stallAt = null;
    await packs.download([itemOf('reefs-gbr', body)]);
    expect(archives.asked.at(-1)).toMatchObject({ range: 'bytes=2200000-' });
    expect((await bytesOf('reefs-gbr'))?.equals(body)).toBe(true);
  });

  test('too little space is told before a byte is fetched', async () => {
    const { archives, packs, tablet: one } = await scene();
    Object.assign(one.host.storage, { estimate: () => Promise.resolve({ used: 900, quota: 1000 }) });
    const before = archives.asked.length;
    await expect(packs.download([itemOf('reefs-gbr', archive('reefs'))])).rejects.toMatchObject({
      code: 'storage-full',
    });
    expect(archives.asked.slice(before).filter(({ name }) => name === 'reefs-gbr')).toEqual([]);
  });

  test('the space that is asked for counts the copy while it is joined, and what has arrived', async () => {
    const { archives, packs, view, tablet: one } = await scene();
    const body = archive('reefs');
    archives.files.set('reefs-gbr', body);
    const withFree = (quota: number): unknown =>
      Object.assign(one.host.storage, { estimate: () => Promise.resolve({ used: 0, quota }) });
    withFree(1.9 * body.length);
    await expect(packs.download([itemOf('reefs-gbr', body)])).rejects.toMatchObject({
      code: 'storage-full',
      details: { bytes: 2 * body.length },
    });
    withFree(3 * body.length);
    archives.cuts = [2_000_000];
    await packs.download([itemOf('reefs-gbr', body)]);
    expect(view('reefs-gbr')?.received).toBeGreaterThan(1_000_000);
    withFree(1.9 * body.length);
    expect(await packs.download([itemOf('reefs-gbr', body)])).toBe(true);
  });

  test('a tablet that fills up in the middle says so, keeps what arrived and the older map, and goes on later', async () => {
    const { archives, packs, view, bytesOf } = await scene();
    const [old, fresh] = [archive('old', 20_000), archive('fresh')];
    archives.files.set('reefs-gbr', old);
    await packs.download([itemOf('reefs-gbr', old)]);
    archives.files.set('reefs-gbr', fresh);
    const { put } = IDBObjectStore.prototype;
    const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
      this: IDBObjectStore,
      ...row: Parameters<typeof put>
    ) {
      if (this.name === 'packParts' && (row[0] as { index: number }).index === 1)
        throw new DOMException('no room', 'QuotaExceededError');
      return put.apply(this, row);
    });
    expect(await packs.download([itemOf('reefs-gbr', fresh)])).toBe(false);
    full.mockRestore();
    const failed = view('reefs-gbr');
    expect(failed).toMatchObject({ status: 'failed', why: { code: 'storage-full' } });
    expect(failed?.why?.message).toContain('Free up space');
    expect(failed?.received).toBeGreaterThan(1_000_000);
    expect((await bytesOf('reefs-gbr', hashOf(old)))?.equals(old)).toBe(true);
    expect(await packs.download([itemOf('reefs-gbr', fresh)])).toBe(true);
    expect(archives.asked.at(-1)).toMatchObject({ range: `bytes=${failed?.received}-` });
    expect((await bytesOf('reefs-gbr', hashOf(fresh)))?.equals(fresh)).toBe(true);
  });

  test('two tabs that take the same map along fetch it once', async () => {
    const origin = newOrigin();
    const { archives, packs, view, tablet: one } = await scene({ origin, database: 'tabs' });
    const body = archive('reefs');
    archives.files.set('reefs-gbr', body);
    archives.stallAt = 1_500_000;
    const first = packs.download([itemOf('reefs-gbr', body)]);
    await until(() => (view('reefs-gbr')?.received ?? 0) >= 1_500_000, 'half of it');
    const other = await openTestTablet({ origin, database: one.database, fetch: archives.fetch });
    closers.push(() => other.close());
    await until(() => other.repositories.edge.link.connectivity.get().answering === 'edge', 'the box answers here too');
    const theirs = other.repositories.edge.packs;
    const stop = theirs.packs.subscribe(() => undefined);
    closers.push(async () => stop());
    const second = theirs.download([itemOf('reefs-gbr', body)]);
    await until(() => theirs.packs.get().some(({ status }) => status === 'fetching'), 'the other tab shows it');
    archives.stallAt = null;
    packs.pause();
    expect(await first).toBe(false);
    expect(await second).toBe(true);
    const asked = archives.asked.filter(({ name }) => name === 'reefs-gbr');
    expect(asked.map(({ range }) => range)).toEqual([null, 'bytes=1500000-']);
    expect(await packs.download([itemOf('reefs-gbr', body)])).toBe(true);
    expect(archives.asked.filter(({ name }) => name === 'reefs-gbr')).toHaveLength(2);
  });
});
