import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { announce, photograph } from '../../../tests/conformance/blob-store';
import { sha256 } from '../../../tests/conformance/ops';
import { recoverBlobs, scrubBlobs } from './blob-recovery';
import type { Disk } from '../files/disk';
import { realDisk } from '../files/disk';
import { FileBlobStore } from './file-blob-store';
import { PROBE_POINTS } from '../ops/probe';

let root: string;
const fatal: Error[] = [];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'reef-files-'));
  fatal.length = 0;
});
afterEach(() => rmSync(root, { recursive: true }));

type Call = { name: keyof Disk; path: string };

function watched(before: (call: Call, n: number) => void): Disk {
  const files = new Map<number, string>();
  let n = 0;
  const entries = (Object.keys(realDisk) as (keyof Disk)[]).map((name) => [
    name,
    async (...args: unknown[]): Promise<unknown> => {
      const target = typeof args[0] === 'number' ? (files.get(args[0]) ?? '') : String(args[0]);
      before({ name, path: path.relative(root, name === 'rename' ? String(args[1]) : target) }, n++);
      const answer = await (realDisk[name] as (...args: unknown[]) => Promise<unknown>)(...args);
      if (name === 'open') files.set(answer as number, target);
      return answer;
    },
  ]);
  return Object.fromEntries(entries) as Disk;
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: of the test`), { code });
}

async function open(
  disk: Disk = realDisk,
  more: { probe?: (point: string) => void; minFreeBytes?: number } = {},
): Promise<FileBlobStore> {
  return FileBlobStore.open({ root, minFreeBytes: 0, onFatal: (error) => fatal.push(error), disk, ...more });
}

/** Sends all bytes in chunks, from the store's offset. */
async function send(store: FileBlobStore, bytes: Buffer, chunk = 100_000): Promise<void> {
  let at = await store.begin(announce(bytes));
  while (!at.complete) at = await store.write(at.uploadId, at.offset, bytes.subarray(at.offset, at.offset + chunk));
}

describe('protocol: durable, before any receipt', () => {
  it('bytes of an earlier process are rewritten first, as its last fsync may have failed', async () => {
    const bytes = photograph(200_000);
    const first = await open();
    const { uploadId } = await first.begin(announce(bytes));
    await first.write(uploadId, 0, bytes.subarray(0, 120_000));
    await first.close();

    const written: string[] = [];
    const second = await open(watched(({ name, path: file }) => written.push(`${name} ${path.basename(file)}`)));
    await recoverBlobs(second);
    const before = written.length;
    await second.write(uploadId, 120_000, bytes.subarray(120_000));
    const part = written.slice(before).filter((call) => /^(read|write|fsync) .*\.part$/.test(call));
    expect(part.map((call) => call.split(' ')[0])).toEqual(['read', 'write', 'write', 'fsync']);
    expect(readFileSync(await second.file(sha256(bytes)))).toEqual(bytes);
    await second.close();
  });

  it('a chunk is acknowledged after fdatasync, and the first one also makes its names durable', async () => {
    const calls: string[] = [];
    const store = await open(watched(({ name, path: file }) => calls.push(`${name} ${file}`)));
    const bytes = photograph(1000);
    const { uploadId } = await store.begin(announce(bytes));
    calls.length = 0;
    await store.write(uploadId, 0, bytes.subarray(0, 500));
    const wanted = [
      `write partials/${uploadId}.part`,
      `fdatasync partials/${uploadId}.part`,
      `fsync partials/${uploadId}.json`,
      'fsyncDir partials',
    ];
    expect(calls.filter((call) => /^(write|fdatasync|fsync)/.test(call))).toEqual(wanted);
    calls.length = 0;
    await store.write(uploadId, 500, bytes.subarray(500, 900));
    expect(calls.filter((call) => !call.startsWith('statfs'))).toEqual(wanted.slice(0, 2));
  });

  it('the last chunk syncs file, journal, rename and every changed folder, then completes', async () => {
    const calls: string[] = [];
    const store = await open(watched(({ name, path: file }) => calls.push(`${name} ${file}`)));
    const bytes = photograph(1000);
    const hash = sha256(bytes);
    const [shard, target] = [`blobs/${hash.slice(0, 2)}`, `blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}`];
    const { uploadId } = await store.begin(announce(bytes));
    await store.write(uploadId, 0, bytes.subarray(0, 500));
    calls.length = 0;
    await store.write(uploadId, 500, bytes.subarray(500));
    const renamed = calls.indexOf(`rename ${target}/${hash}`);
    const before = calls.slice(0, renamed);
    const after = calls.slice(renamed + 1);
    expect(before).toEqual(
      expect.arrayContaining([
        `fsync partials/${uploadId}.part`,
        'write recent.log',
        'fdatasync recent.log',
        `mkdir ${shard}`,
        `mkdir ${target}`,
      ]),
    );
    expect(after.filter((call) => call.startsWith('fsyncDir')).sort()).toEqual(
      [`fsyncDir ${target}`, `fsyncDir ${shard}`, 'fsyncDir blobs', 'fsyncDir partials'].sort(),
    );
    expect(after.indexOf('fsyncDir partials')).toBeGreaterThan(after.indexOf(`fsyncDir ${target}`));
  });

  it('a folder left by a crash is made durable by the next process that uses it', async () => {
    const bytes = photograph(1000);
    const hash = sha256(bytes);
    await send(await open(), photograph(1000, 2));
    await realDisk.mkdir(path.join(root, 'blobs', hash.slice(0, 2)));
    await realDisk.mkdir(path.join(root, 'blobs', hash.slice(0, 2), hash.slice(2, 4)));
    const calls: string[] = [];
    await send(await open(watched(({ name, path: file }) => calls.push(`${name} ${file}`))), bytes);
    expect(calls).toEqual(expect.arrayContaining(['fsyncDir blobs', `fsyncDir blobs/${hash.slice(0, 2)}`]));
  });

  it('every named probe point of the blob intake is reached', async () => {
    const passed = new Set<string>();
    await send(await open(realDisk, { probe: (point) => passed.add(point) }), photograph(250_000));
    expect([...passed].sort()).toEqual(PROBE_POINTS.filter((point) => point.startsWith('blob.')).sort());
    expect(PROBE_POINTS.length).toBeGreaterThanOrEqual(24);
  });
});

describe('protocol: a failed fsync is never tried again', () => {
  const syncs = [
    'fdatasync partials/',
    'fsync partials/',
    'fsyncDir partials',
    'fdatasync recent.log',
    'fsyncDir blobs',
  ];
  it.each(syncs)('%s: nothing is confirmed after it', async (which) => {
    let armed = false;
    const failed = failure('EIO');
    const calls: string[] = [];
    const store = await open(
      watched(({ name, path: file }) => {
        calls.push(`${name} ${file}`);
        if (armed && `${name} ${file}`.startsWith(which)) {
          armed = false;
          throw failed;
        }
      }),
    );
    armed = true;
    const bytes = photograph(250_000);
    await expect(send(store, bytes)).rejects.toMatchObject({ code: 'internal' });
    expect(fatal).toEqual([failed]);
    const after = calls.length;
    await expect(store.begin(announce(bytes))).rejects.toMatchObject({ code: 'internal' });
    await expect(store.write('0'.repeat(32), 0, bytes)).rejects.toMatchObject({ code: 'internal' });
    await expect(store.has(sha256(bytes))).rejects.toMatchObject({ code: 'internal' });
    expect(calls.length).toBe(after);
    expect(fatal).toHaveLength(1);
    // The next start reads what is there, and all of it can be sent.
    fatal.length = 0;
    const again = await open();
    await recoverBlobs(again);
    await send(again, bytes);
    expect(sha256(readFileSync(await again.file(sha256(bytes))))).toBe(sha256(bytes));
  });
});

describe('protocol: a full disk', () => {
  it.each(['chunk', 'stream'])(
    'a torn write is truncated, storage-full is reported, and it resumes with room (%s)',
    async (form) => {
      const bytes = photograph(1_600_000);
      let writes = 0;
      let full = false;
      const base = watched(() => undefined);
      const disk: Disk = {
        ...base,
        async write(fd, buffers, position) {
          if (full && ++writes === 2) {
            // Simulates a nearly full disk: writes a part and refuses the rest.
            await base.write(fd, [buffers[0]!.subarray(0, 1000)], position);
            throw failure('ENOSPC');
          }
          return base.write(fd, buffers, position);
        },
      };
      const store = await open(disk);
      const { uploadId } = await store.begin(announce(bytes));
      await store.write(uploadId, 0, bytes.subarray(0, 100_000));
      const part = path.join(root, 'partials', `${uploadId}.part`);
      if (form === 'chunk') await store.write(uploadId, 100_000, bytes.subarray(100_000, 700_000));
      const from = form === 'chunk' ? 700_000 : 100_000;
      full = true;
      const rest = bytes.subarray(from);
      const chunk =
        form === 'chunk'
          ? rest
          : Readable.from([rest.subarray(0, 600_000), rest.subarray(600_000, 1_200_000), rest.subarray(1_200_000)]);
      await expect(store.write(uploadId, from, chunk)).rejects.toMatchObject({ code: 'storage-full', retryable: true });
      const { offset } = await store.transfer(uploadId);
      if (form === 'chunk') expect(offset).toBe(700_000);
      expect(offset).toBeGreaterThanOrEqual(100_000);
      expect(readFileSync(part).equals(bytes.subarray(0, offset))).toBe(true);
      full = false;
      expect(await store.write(uploadId, offset, bytes.subarray(offset))).toMatchObject({ complete: true });
      expect(fatal).toEqual([]);
    },
  );

  it.each(['mkdir blobs', 'rename blobs', 'write recent.log'])(
    'a full disk at the last step (%s) refuses the chunk as storage-full, and it can be resent',
    async (which) => {
      let full = false;
      const store = await open(
        watched(({ name, path: file }) => {
          if (full && `${name} ${file}`.startsWith(which) && file !== 'blobs') throw failure('ENOSPC');
        }),
      );
      const bytes = photograph(1000);
      const { uploadId } = await store.begin(announce(bytes));
      await store.write(uploadId, 0, bytes.subarray(0, 600));
      full = true;
      await expect(store.write(uploadId, 600, bytes.subarray(600))).rejects.toMatchObject({ code: 'storage-full' });
      expect(await store.transfer(uploadId)).toMatchObject({ offset: 600, complete: false });
      full = false;
      expect(await store.write(uploadId, 600, bytes.subarray(600))).toMatchObject({ complete: true });
      expect(fatal).toEqual([]);
    },
  );

  it('announcements and writes below the free-space threshold are refused', async () => {
    let free = 1_000_000;
    const store = await open(
      { ...realDisk, statfs: async () => ({ free, size: 2_000_000 }) },
      { minFreeBytes: 500_000 },
    );
    const [first, second] = [photograph(400_000, 1), photograph(300_000, 2)];
    await expect(store.begin(announce(photograph(500_001)))).rejects.toMatchObject({ code: 'storage-full' });
    const [a, b] = [
      await store.begin(announce(first, 'Image00000000001')),
      await store.begin(announce(second, 'Image00000000002')),
    ];
    await store.write(a.uploadId, 0, first);
    free = 600_000;
    await expect(store.write(b.uploadId, 0, second)).rejects.toMatchObject({ code: 'storage-full' });
    await expect(store.write(b.uploadId, 0, Readable.from([second]))).rejects.toMatchObject({ code: 'storage-full' });
    expect(await store.transfer(b.uploadId)).toMatchObject({ offset: 0 });
    // Bytes that were checked but not written do not vouch for others.
    await expect(
      store.write(b.uploadId, 0, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
    ).rejects.toMatchObject({ code: 'unsupported-media' });
  });
});

describe('protocol: recover at boot', () => {
  it('after a crash at any step, partial blobs resume and complete ones are whole', async () => {
    const bytes = photograph(250_000);
    let steps = 0;
    const counted = await open(watched(() => steps++));
    const opening = steps;
    await send(counted, bytes);
    expect(steps - opening).toBeGreaterThan(20);
    for (let crash = opening; crash < steps; crash++) {
      rmSync(root, { recursive: true });
      let complete = false;
      try {
        await send(
          await open(
            watched((_call, n) => {
              if (n >= crash) throw failure('CRASH');
            }),
          ),
          bytes,
        );
        complete = true;
      } catch (error) {
        expect(error, `crash before step ${crash}`).toMatchObject({ code: 'internal' });
      }
      const store = await open();
      expect((await recoverBlobs(store)).quarantined).toEqual([]);
      if (complete) expect(await store.has(sha256(bytes)), `crash before step ${crash}`).toBe(true);
      await send(store, bytes);
      expect(readFileSync(await store.file(sha256(bytes))).equals(bytes), `crash before step ${crash}`).toBe(true);
      expect(readdirSync(path.join(root, 'partials')), `crash before step ${crash}`).toEqual([]);
    }
  });

  it('a torn partial is detected by the whole hash and sent again', async () => {
    const bytes = photograph(1000);
    const store = await open();
    const { uploadId } = await store.begin(announce(bytes));
    await store.write(uploadId, 0, bytes.subarray(0, 900));
    const part = path.join(root, 'partials', `${uploadId}.part`);
    writeFileSync(part, Buffer.concat([bytes.subarray(0, 500), Buffer.alloc(400)]));
    const again = await open();
    expect(await recoverBlobs(again)).toMatchObject({ partials: 1 });
    await expect(again.write(uploadId, 900, bytes.subarray(900))).rejects.toMatchObject({
      code: 'hash-mismatch',
      details: { offset: 0 },
    });
    await send(again, bytes);
    expect(await again.has(sha256(bytes))).toBe(true);
  });

  it('a whole partial is completed at boot, and a torn one starts again', async () => {
    for (const torn of [false, true]) {
      const bytes = photograph(1000, torn ? 2 : 1);
      const { uploadId } = await (await open()).begin(announce(bytes));
      writeFileSync(path.join(root, 'partials', `${uploadId}.part`), torn ? Buffer.alloc(1000) : bytes);
      const store = await open();
      await recoverBlobs(store);
      expect(await store.has(sha256(bytes))).toBe(!torn);
      expect(await store.transfer(uploadId)).toMatchObject({ offset: torn ? 0 : 1000, complete: !torn });
    }
  });

  it('partials without announcement, torn announcements and foreign files are swept', async () => {
    const bytes = photograph(1000);
    const first = await open();
    const kept = await first.begin(announce(bytes));
    const torn = await first.begin(announce(photograph(1000, 2), 'Image00000000002'));
    const partials = path.join(root, 'partials');
    writeFileSync(path.join(partials, `${torn.uploadId}.json`), '{"v":1,"own');
    writeFileSync(path.join(partials, `${torn.uploadId}.part`), 'x');
    writeFileSync(path.join(partials, `${'a'.repeat(32)}.part`), 'x');
    writeFileSync(path.join(partials, 'notes.txt'), 'x');
    const store = await open();
    expect(await recoverBlobs(store)).toMatchObject({ partials: 1, swept: 4 });
    expect(readdirSync(partials)).toEqual([`${kept.uploadId}.json`]);
    await expect(store.transfer(torn.uploadId)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('a broken blob goes to quarantine, is never deleted, and can be sent again', async () => {
    const [good, bad] = [photograph(1000, 1), photograph(1000, 2)];
    const first = await open();
    await send(first, good);
    await send(first, bad);
    const torn = Buffer.alloc(1000, 7);
    writeFileSync(await first.file(sha256(bad)), torn);
    const store = await open();
    expect(await recoverBlobs(store)).toEqual({ partials: 0, swept: 0, verified: 1, quarantined: [sha256(bad)] });
    expect(await store.has(sha256(bad))).toBe(false);
    expect(readFileSync(path.join(root, 'quarantine', sha256(bad))).equals(torn)).toBe(true);
    await send(store, bad);
    expect(await store.has(sha256(bad))).toBe(true);
    writeFileSync(await store.file(sha256(bad)), torn);
    await recoverBlobs(await open());
    expect(existsSync(path.join(root, 'quarantine', `${sha256(bad)}.2`))).toBe(true);
  });

  it('nothing is read again after a clean shutdown', async () => {
    const store = await open();
    await send(store, photograph(1000));
    await store.close();
    await expect(store.begin(announce(photograph(10)))).rejects.toMatchObject({ code: 'internal' });
    expect(await recoverBlobs(await open())).toMatchObject({ verified: 0 });
  });

  it('only data written after a clean shutdown is read again', async () => {
    const first = await open();
    await send(first, photograph(1000, 1));
    await first.close();
    const second = await open();
    await recoverBlobs(second);
    await send(second, photograph(1000, 2));
    await send(second, photograph(1000, 3));
    expect(await recoverBlobs(await open())).toMatchObject({ verified: 2 });
  });

  it('the slow scrub reads every blob and sets a broken one aside', async () => {
    const store = await open();
    const all = [1, 2, 3].map((seed) => photograph(1000, seed));
    for (const bytes of all) await send(store, bytes);
    writeFileSync(await store.file(sha256(all[1]!)), 'rotten');
    const seen = [];
    for await (const one of scrubBlobs(store)) seen.push(one);
    expect(seen.sort((a, b) => a.sha256.localeCompare(b.sha256))).toEqual(
      all.map((bytes, i) => ({ sha256: sha256(bytes), ok: i !== 1 })).sort((a, b) => a.sha256.localeCompare(b.sha256)),
    );
    expect(await store.has(sha256(all[1]!))).toBe(false);
    await send(store, all[1]!);
    expect(await store.size(sha256(all[1]!)), 'it is sent again in the same run').toBe(1000);
  });
});
