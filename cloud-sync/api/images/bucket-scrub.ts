import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { ReefError } from '../../../src/domain/errors';
import type { BlobRef } from '../../../src/protocol/receipt';
import type { BlobStore } from '../../../src/server/blobs/blob-store';

/** Pause between photographs: reading back may be billed traffic. */
const STEP_MS = 60_000;
const PAGE = 100;

interface BucketScrubOptions {
  readonly blobs: Pick<BlobStore, 'read'>;
  /** Bytes that records count as stored, in pages by hash. */
  readonly expected: (after: string, limit: number) => Promise<readonly BlobRef[]>;
  /** Called for a photograph that is missing from the bucket or differs from its receipt. */
  readonly onBroken: (sha256: string) => Promise<void>;
  readonly log: Logger;
  readonly stepMs?: number;
}

/**
 * Re-reads every recorded photograph from the bucket and checks its hash, slowly and endlessly; returns the stop
 * function.
 */
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
        if (!stopped) log.warn({ err: error }, 'the bucket scrub was interrupted; it resumes later');
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

/** False if the bytes differ or are gone. @throws if the bucket does not answer, which says nothing about them */
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
