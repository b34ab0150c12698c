import { expect, it } from 'vitest';
import { ReefError } from '../../../domain/errors';
import { uploadPhoto, type PhotoUpload } from './photo-upload';

/** Fake cloud that takes ten bytes a chunk; each chunk waits until the test releases it. */
function shore(already = 0) {
  const taken: number[] = [];
  let offset = already;
  let let_: () => void = () => undefined;
  let fails: ReefError | undefined;
  const arrived: string[] = [];
  return {
    taken,
    arrived,
    fail: (error: ReefError | undefined) => (fails = error),
    release: () => let_(),
    way: {
      sha256: async () => 'hash',
      chunkBytes: 10,
      onUploaded: async (sha256: string) => void arrived.push(sha256),
      http: {
        startUpload: async ({ bytes }: { readonly bytes: number }) => ({
          uploadId: 'u',
          offset,
          complete: offset >= bytes,
        }),
        patch: async (_id: string, from: number, piece: Uint8Array) => {
          await new Promise<void>((resolve) => (let_ = resolve));
          if (fails !== undefined) throw fails;
          taken.push(from);
          return (offset = from + piece.length);
        },
      },
    },
  };
}

const until = async (look: () => boolean): Promise<void> => {
  for (let i = 0; i < 1000 && !look(); i++) await new Promise((resolve) => setImmediate(resolve));
  expect(look()).toBe(true);
};
const statusOf = (upload: PhotoUpload) => upload.facts.get().status;

it('2§7 a profile photo uploads in chunks with progress, pauses and resumes', async () => {
  const to = shore();
  const upload = uploadPhoto(new Blob([new Uint8Array(25)]), to.way);
  await until(() => {
    to.release();
    return to.taken.length === 1;
  });
  upload.pause();
  await until(() => {
    to.release();
    return to.taken.length === 2 && upload.facts.get().sent === 20;
  });
  expect(upload.facts.get()).toMatchObject({ status: 'paused', sent: 20, bytes: 25 });
  upload.resume();
  await until(() => {
    to.release();
    return statusOf(upload) === 'done';
  });
  expect(to.taken).toEqual([0, 10, 20]);
  expect(to.arrived).toEqual(['hash']);
});

it('2§7 a cancelled upload changes nothing; a failed one resumes', async () => {
  const to = shore(10);
  const upload = uploadPhoto(new Blob([new Uint8Array(25)]), to.way);
  to.fail(new ReefError('disconnected'));
  await until(() => {
    to.release();
    return statusOf(upload) === 'failed';
  });
  expect(upload.facts.get().problem?.code).toBe('disconnected');
  to.fail(undefined);
  upload.resume();
  await until(() => {
    to.release();
    return to.taken.length === 1;
  });
  upload.cancel();
  await until(() => {
    to.release();
    return to.taken.length === 2 || upload.facts.get().sent === 20;
  });
  expect(statusOf(upload)).toBe('cancelled');
  upload.resume();
  expect(statusOf(upload)).toBe('cancelled');
  expect(to.arrived).toEqual([]);
});
