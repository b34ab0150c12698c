import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits';
import type { BlobAnnouncement, BlobStore } from '../../src/server/blobs/blob-store';
import { sha256 } from './ops';

export interface BlobHarness {
  readonly store: BlobStore;
  /** Ends the store without a clean shutdown and opens it again over the same data. */
  reopen(): Promise<BlobStore>;
  /** Number of announced uploads that are not finished. */
  partials(): Promise<number>;
  dispose(): Promise<void>;
}

/** Makes an empty store that refuses to go below `minFreeBytes`. */
export type OpenBlobStore = (options?: { minFreeBytes?: number }) => Promise<BlobHarness>;

/** Bytes that begin as a JPEG does and then differ by `seed`. */
export function photograph(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[i] = state >>> 16;
  }
  bytes.set([0xff, 0xd8, 0xff].slice(0, length));
  return bytes;
}

export function announce(
  bytes: Uint8Array,
  owner = 'Image00000000001',
  more: Partial<BlobAnnouncement> = {},
): BlobAnnouncement {
  return { owner, sha256: sha256(bytes), bytes: bytes.length, type: 'image/jpeg', ...more };
}

export async function bytesOf(stream: Readable): Promise<Buffer> {
  return Buffer.concat((await stream.toArray()) as Buffer[]);
}

/** Stream of pieces that then breaks off. */
function broken(...pieces: Uint8Array[]): Readable {
  return Readable.from(
    (async function* () {
      yield* pieces;
      await turn();
      throw new Error('the connection broke');
    })(),
  );
}

const MAGIC: [string, Buffer][] = [
  ['JPEG', Buffer.from('ffd8ffe000104a4649460001', 'hex')],
  ['PNG', Buffer.from('89504e470d0a1a0a0000000d', 'hex')],
  ['WebP', Buffer.from('RIFF\x10\0\0\0WEBP', 'latin1')],
  ['AVIF', Buffer.from('\0\0\0\x20ftypavif', 'latin1')],
  ['HEIC', Buffer.from('\0\0\0\x18ftypheic', 'latin1')],
  ['HEIF', Buffer.from('\0\0\0\x18ftypmif1', 'latin1')],
  ['TIFF, little end first', Buffer.from('II*\0\x08\0\0\0\0\0\0\0', 'latin1')],
  ['TIFF, big end first', Buffer.from('MM\0*\0\0\0\x08\0\0\0\0', 'latin1')],
];

const NO_PHOTOGRAPH: [string, Buffer][] = [
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
  ['HTML', Buffer.from('<!doctype html><p>No photograph</p>')],
  ['MP4', Buffer.from('\0\0\0\x20ftypisom\0\0\0\0', 'latin1')],
  ['WAV', Buffer.from('RIFF\x10\0\0\0WAVE', 'latin1')],
  ['three zeros', Buffer.alloc(3)],
];

/** Conformance tests of every blob store (protocol, "Durable, before any receipt", "Edge socket" 4 and 5). */
export function blobStoreConformance(name: string, open: OpenBlobStore): void {
  const using =
    (work: (harness: BlobHarness) => Promise<void>, options?: { minFreeBytes?: number }) => async (): Promise<void> => {
      const harness = await open(options);
      try {
        await work(harness);
      } finally {
        await harness.dispose();
      }
    };

  describe(`${name}: upload of bytes`, () => {
    it(
      'protocol: image:binary: consecutive chunks are stored and the last one completes',
      using(async ({ store, partials }) => {
        const bytes = photograph(300_000);
        const { sha256: hash } = announce(bytes);
        const begun = await store.begin(announce(bytes));
        expect(begun).toMatchObject({ offset: 0, complete: false });
        expect(begun.uploadId).toMatch(/^[0-9a-f]{32}$/);
        expect(await store.write(begun.uploadId, 0, bytes.subarray(0, 100_000))).toEqual({ ...begun, offset: 100_000 });
        expect(await store.has(hash)).toBe(false);
        expect(await store.size(hash)).toBeUndefined();
        expect(await store.transfer(begun.uploadId)).toEqual({ ...begun, offset: 100_000, bytes: 300_000 });
        expect(await store.write(begun.uploadId, 100_000, bytes.subarray(100_000))).toEqual({
          ...begun,
          offset: 300_000,
          complete: true,
          completed: hash,
        });
        expect(await store.transfer(begun.uploadId)).toEqual({
          ...begun,
          offset: 300_000,
          complete: true,
          bytes: 300_000,
        });
        expect(await store.size(hash)).toBe(300_000);
        expect((await bytesOf(await store.read(hash))).equals(bytes)).toBe(true);
        expect(await partials()).toBe(0);
      }),
    );

    it(
      'protocol: a stream in pieces of any size takes the same step',
      using(async ({ store }) => {
        for (const [seed, sizes] of [
          [1, [1, 2, 3, 500, 70_000]],
          [2, [1_500_000]],
          [3, Array.from({ length: 3000 }, () => 7)],
          [4, Array.from({ length: 60 }, () => 65_536)],
        ] as const) {
          const bytes = photograph(
            sizes.reduce((sum: number, size) => sum + size, 0),
            seed,
          );
          const { uploadId } = await store.begin(announce(bytes));
          let at = 0;
          const pieces = sizes.map((size) => bytes.subarray(at, (at += size)));
          expect(await store.write(uploadId, 0, Readable.from(pieces))).toMatchObject({
            offset: bytes.length,
            complete: true,
          });
          expect((await bytesOf(await store.read(sha256(bytes)))).equals(bytes)).toBe(true);
        }
      }),
    );

    it(
      'protocol: offset-mismatch returns the true offset and writes nothing',
      using(async ({ store }) => {
        const bytes = photograph(1000);
        const { uploadId } = await store.begin(announce(bytes));
        await store.write(uploadId, 0, bytes.subarray(0, 400));
        for (const offset of [0, 399, 401, 1000]) {
          await expect(store.write(uploadId, offset, bytes.subarray(400))).rejects.toMatchObject({
            code: 'offset-mismatch',
            details: { offset: 400 },
          });
          await expect(store.write(uploadId, offset, Readable.from([bytes.subarray(400)]))).rejects.toMatchObject({
            code: 'offset-mismatch',
          });
        }
        expect(await store.write(uploadId, 400, bytes.subarray(400))).toMatchObject({ complete: true });
        await expect(store.write(uploadId, 0, bytes)).rejects.toMatchObject({
          code: 'offset-mismatch',
          details: { offset: 1000 },
        });
      }),
    );

    it(
      'protocol: excess or empty bytes are bad-message and change nothing',
      using(async ({ store }) => {
        const bytes = photograph(1_000_000);
        const longer = Buffer.concat([bytes, Buffer.from('x')]);
        const { uploadId } = await store.begin(announce(bytes));
        await store.write(uploadId, 0, bytes.subarray(0, 10));
        for (const chunk of [longer.subarray(10), Buffer.alloc(0)]) {
          await expect(store.write(uploadId, 10, chunk)).rejects.toMatchObject({ code: 'bad-message' });
          await expect(
            store.write(
              uploadId,
              10,
              Readable.from(chunk.length === 0 ? [] : [chunk.subarray(0, 600_000), chunk.subarray(600_000)]),
            ),
          ).rejects.toMatchObject({ code: 'bad-message' });
          expect(await store.transfer(uploadId)).toMatchObject({ offset: 10, complete: false });
        }
        expect(await store.write(uploadId, 10, bytes.subarray(10))).toMatchObject({ complete: true });
      }),
    );

    it(
      'protocol: a wrong whole hash is hash-mismatch {offset: 0} and resets the partial',
      using(async ({ store }) => {
        const bytes = photograph(5000);
        const { uploadId } = await store.begin(announce(bytes));
        await store.write(uploadId, 0, bytes.subarray(0, 4000));
        await expect(store.write(uploadId, 4000, photograph(1000, 9))).rejects.toMatchObject({
          code: 'hash-mismatch',
          details: { offset: 0 },
        });
        expect(await store.has(sha256(bytes))).toBe(false);
        expect(await store.begin(announce(bytes))).toEqual({ uploadId, offset: 0, complete: false });
        await store.write(uploadId, 0, bytes.subarray(0, 4000));
        expect(await store.write(uploadId, 4000, bytes.subarray(4000))).toMatchObject({ complete: true });
      }),
    );

    it(
      'protocol: an unannounced blob is not-found under any name',
      using(async ({ store }) => {
        for (const id of ['0'.repeat(32), '', '../../etc/passwd', 'a'.repeat(4096)]) {
          await expect(store.write(id, 0, photograph(10))).rejects.toMatchObject({ code: 'not-found' });
          await expect(store.transfer(id)).rejects.toMatchObject({ code: 'not-found' });
          await expect(store.read(id)).rejects.toMatchObject({ code: 'not-found' });
          await expect(store.file(id)).rejects.toMatchObject({ code: 'not-found' });
          expect(await store.has(id)).toBe(false);
        }
      }),
    );

    it(
      'protocol: an invalid announcement is refused',
      using(async ({ store, partials }) => {
        const good = announce(photograph(10));
        await expect(store.begin({ ...good, bytes: LIMITS.imageBytesMax + 1 })).rejects.toMatchObject({
          code: 'too-large',
        });
        for (const bytes of [0, -1, 1.5, Number.NaN])
          await expect(store.begin({ ...good, bytes })).rejects.toMatchObject({ code: 'bad-message' });
        await expect(store.begin({ ...good, sha256: '../x' as never })).rejects.toMatchObject({ code: 'bad-message' });
        await expect(store.begin({ ...good, sha256: sha256('').toUpperCase() as never })).rejects.toMatchObject({
          code: 'bad-message',
        });
        expect(await partials()).toBe(0);
      }),
    );

    it(
      'protocol: below the threshold storage-full refuses new bytes and leaves no files',
      using(
        async ({ store, partials }) => {
          await expect(store.begin(announce(photograph(10)))).rejects.toMatchObject({ code: 'storage-full' });
          expect(await partials()).toBe(0);
          const { free, size } = await store.disk();
          expect(free).toBeGreaterThan(0);
          expect(size).toBeGreaterThanOrEqual(free);
        },
        { minFreeBytes: Number.MAX_SAFE_INTEGER },
      ),
    );
  });

  describe(`${name}: photographs only`, () => {
    it.each(MAGIC)('protocol: %s is accepted by its first bytes, truncated or not', (_what, head) =>
      using(async ({ store }) => {
        const bytes = Buffer.concat([head, photograph(20)]);
        const { uploadId } = await store.begin(announce(bytes, 'Image00000000001', { type: 'text/html' }));
        expect(await store.write(uploadId, 0, bytes)).toMatchObject({ complete: true });
      })(),
    );

    it.each(NO_PHOTOGRAPH)(
      'protocol: unsupported-media: %s named as a photograph is refused, whole or in pieces',
      (_what, bytes) =>
        using(async ({ store, partials }) => {
          for (const write of [
            (id: string) => store.write(id, 0, bytes),
            (id: string) => store.write(id, 0, Readable.from([bytes.subarray(0, 1), bytes.subarray(1)])),
            async (id: string) => {
              for (let i = 0; i < bytes.length; i++) await store.write(id, i, bytes.subarray(i, i + 1));
            },
          ]) {
            const { uploadId, offset } = await store.begin(announce(bytes));
            expect(offset).toBe(0);
            await expect(write(uploadId)).rejects.toMatchObject({ code: 'unsupported-media' });
            expect(await store.has(sha256(bytes))).toBe(false);
            expect(await partials()).toBe(0);
          }
        })(),
    );

    it(
      'protocol: a photograph sent byte by byte is accepted',
      using(async ({ store }) => {
        const bytes = Buffer.from('\0\0\0\x20ftypavif\0\0', 'latin1');
        const { uploadId } = await store.begin(announce(bytes));
        for (let i = 0; i < bytes.length; i++) await store.write(uploadId, i, bytes.subarray(i, i + 1));
        expect(await store.has(sha256(bytes))).toBe(true);
      }),
    );
  });

  describe(`${name}: resumed upload`, () => {
    it(
      'protocol: an interrupted stream keeps the bytes it delivered',
      using(async ({ store }) => {
        const bytes = photograph(900_000);
        const { uploadId } = await store.begin(announce(bytes));
        expect(await store.write(uploadId, 0, broken(bytes.subarray(0, 700_001)))).toEqual({
          uploadId,
          offset: 700_001,
          complete: false,
        });
        expect(await store.write(uploadId, 700_001, broken())).toEqual({ uploadId, offset: 700_001, complete: false });
        expect(await store.write(uploadId, 700_001, Readable.from([bytes.subarray(700_001)]))).toMatchObject({
          complete: true,
        });
      }),
    );

    it(
      'protocol: a new connection ends the sender’s previous one, even a half-open one',
      using(async ({ store }) => {
        const bytes = photograph(1000);
        const { uploadId } = await store.begin(announce(bytes));
        for (const again of [() => store.begin(announce(bytes)), () => store.transfer(uploadId)]) {
          const silent = new Readable({ read: () => undefined });
          const { offset } = await store.transfer(uploadId);
          silent.push(bytes.subarray(offset, offset + 100));
          const waiting = store.write(uploadId, offset, silent);
          while (silent.readableLength > 0) await turn();
          expect(await again()).toMatchObject({ offset: offset + 100, complete: false });
          expect(await waiting).toMatchObject({ offset: offset + 100 });
          expect(silent.destroyed).toBe(true);
        }
        expect(await store.write(uploadId, 200, bytes.subarray(200))).toMatchObject({ complete: true });
      }),
    );

    it(
      'protocol: re-hash on resume: a new process continues at the last acknowledged byte',
      using(async ({ store, reopen }) => {
        const bytes = photograph(300_000);
        const { uploadId } = await store.begin(announce(bytes));
        await store.write(uploadId, 0, bytes.subarray(0, 123_456));
        const again = await reopen();
        expect(await again.transfer(uploadId)).toEqual({ uploadId, offset: 123_456, complete: false, bytes: 300_000 });
        expect(await again.begin(announce(bytes))).toEqual({ uploadId, offset: 123_456, complete: false });
        expect(await again.write(uploadId, 123_456, bytes.subarray(123_456))).toMatchObject({ complete: true });
        expect((await bytesOf(await (await reopen()).read(sha256(bytes)))).equals(bytes)).toBe(true);
      }),
    );

    it(
      'protocol: bytes already stored are not sent again, for any sender',
      using(async ({ store, reopen, partials }) => {
        const bytes = photograph(1000);
        const { uploadId } = await store.begin(announce(bytes));
        await store.write(uploadId, 0, bytes);
        for (const one of [store, await reopen()]) {
          expect(await one.begin(announce(bytes))).toEqual({ uploadId, offset: 1000, complete: true });
          expect(await one.begin(announce(bytes, 'Image00000000002'))).toMatchObject({ offset: 1000, complete: true });
          await expect(one.begin(announce(bytes, 'Image00000000003', { bytes: 999 }))).rejects.toMatchObject({
            code: 'bad-message',
          });
        }
        expect(await partials()).toBe(0);
      }),
    );

    it(
      'protocol: one hash announced for two images yields one blob',
      using(async ({ store, partials }) => {
        const bytes = photograph(50_000);
        const [a, b] = await Promise.all([
          store.begin(announce(bytes, 'Image00000000001')),
          store.begin(announce(bytes, 'Image00000000002')),
        ]);
        expect(a.uploadId).not.toBe(b.uploadId);
        const done = await Promise.all([
          store.write(a.uploadId, 0, bytes),
          store.write(b.uploadId, 0, Readable.from([bytes])),
        ]);
        expect(done.every(({ complete }) => complete)).toBe(true);
        expect((await bytesOf(await store.read(sha256(bytes)))).equals(bytes)).toBe(true);
        expect(await partials()).toBe(0);
      }),
    );

    it(
      'protocol: a new announcement for an image replaces its abandoned partial',
      using(async ({ store, partials }) => {
        const [first, second] = [photograph(1000, 1), photograph(1000, 2)];
        const begun = await store.begin(announce(first));
        await store.write(begun.uploadId, 0, first.subarray(0, 500));
        const again = await store.begin(announce(second));
        expect(again).toMatchObject({ offset: 0, complete: false });
        expect(await partials()).toBe(1);
        await expect(store.write(begun.uploadId, 500, first.subarray(500))).rejects.toMatchObject({
          code: 'not-found',
        });
        expect(await store.write(again.uploadId, 0, second)).toMatchObject({ complete: true });
      }),
    );

    it(
      'protocol: the same chunk sent twice at once is written once',
      using(async ({ store }) => {
        const bytes = photograph(1000);
        const { uploadId } = await store.begin(announce(bytes));
        const settled = await Promise.allSettled([
          store.write(uploadId, 0, bytes.subarray(0, 600)),
          store.write(uploadId, 0, bytes.subarray(0, 600)),
        ]);
        expect(settled[0]).toMatchObject({ status: 'fulfilled', value: { offset: 600 } });
        expect(settled[1]).toMatchObject({
          status: 'rejected',
          reason: { code: 'offset-mismatch', details: { offset: 600 } },
        });
        expect(await store.write(uploadId, 600, bytes.subarray(600))).toMatchObject({ complete: true });
      }),
    );

    it(
      'protocol: simultaneous uploads stay separate',
      using(async ({ store }) => {
        await Promise.all(
          Array.from({ length: 100 }, async (_, i) => {
            const bytes = photograph(20_000 + i, i + 1);
            const { uploadId } = await store.begin(announce(bytes, `Image${String(i).padStart(11, '0')}`));
            for (let at = 0; at < bytes.length; at += 7000)
              await store.write(uploadId, at, bytes.subarray(at, at + 7000));
            expect((await bytesOf(await store.read(sha256(bytes)))).equals(bytes)).toBe(true);
          }),
        );
      }),
    );

    it(
      'protocol: GET /edge/blobs: a range returns exactly that range, end included',
      using(async ({ store }) => {
        const bytes = photograph(1000);
        const { uploadId } = await store.begin(announce(bytes));
        await store.write(uploadId, 0, bytes);
        expect(
          (await bytesOf(await store.read(sha256(bytes), { start: 10, end: 19 }))).equals(bytes.subarray(10, 20)),
        ).toBe(true);
      }),
    );
  });
}
