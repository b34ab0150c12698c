import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { ReefError } from '../../../src/domain/errors';
import type { BlobRef } from '../../../src/protocol/receipt';
import type { BlobStore } from '../../../src/server/blobs/blob-store';

/** Between two photographs: reading back is traffic that somebody may pay for. */
const STEP_MS = 60_000;
const PAGE = 100;

export interface BucketScrubOptions {
  readonly blobs: Pick<BlobStore, 'read'>;
  /** What records say is here, in pages by hash. */
  readonly expected: (after: string, limit: number) => Promise<readonly BlobRef[]>;
  /** Told of a photograph that the bucket does not have as it was receipted. */
  readonly onBroken: (sha256: string) => Promise<void>;
  readonly log: Logger;
  readonly stepMs?: number;
}

/** Reads every recorded photograph back from the bucket and hashes it, slowly, again and again; gives what ends it. */
export function startBucketScrub({ blobs, expected, onBroken, log, stepMs = STEP_MS }: BucketScrubOptions): () => void {
  let stopped = false;
  let after = '';
  let page: BlobRef[] = [];
  const step = async (): Promise<void> => {
    if (page.length === 0) page = [...(await expected(after, PAGE))];
    const next = page.shift();
    after = next?.sha256 ?? '';
    if (next !== undefined && !(await isWhole(blobs, next.sha256)) && !stopped) await onBroken(next.sha256);
  };
  const go = (): void => {
    step()
      .catch((error: unknown) => {
        if (!stopped) log.warn({ err: error }, 'the scrub of the bucket could not read on just now');
      })
      .finally(() => {
        if (!stopped) timer = setTimeout(go, stepMs).unref();
      });
  };
  let timer = setTimeout(go, stepMs).unref();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** False where the bytes are other ones or gone. @throws where the bucket does not answer: that says nothing of them */
async function isWhole(blobs: Pick<BlobStore, 'read'>, sha256: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    await pipeline(await blobs.read(sha256), hash);
  } catch (error) {
    if (error instanceof ReefError && error.code === 'not-found') return false;
    throw error;
  }
  return hash.digest('hex') === sha256;
}
