import type { Logger } from 'pino';
import { scrubBlobs } from './blob-recovery';
import type { FileBlobStore } from './file-blob-store';

/** Interval between two blobs: a season's photographs are re-read within days. */
const SCRUB_STEP_MS = 5_000;

interface ScrubOptions {
  /** Called for a broken photograph, already in quarantine. */
  readonly onBroken: (sha256: string) => void | Promise<void>;
  /** Called after each round, to look for files that are gone. */
  readonly onRound: () => Promise<void>;
  readonly log: Logger;
  readonly stepMs?: number;
}

/** Reads every blob again and again (protocol, "in a slow scrub"); returns a function that ends it. */
export function startScrub(
  blobs: FileBlobStore,
  { onBroken, onRound, log, stepMs = SCRUB_STEP_MS }: ScrubOptions,
): () => void {
  let steps = scrubBlobs(blobs);
  let stopped = false;
  let timer = setTimeout(step, stepMs).unref();
  function step(): void {
    steps
      .next()
      .then(({ done, value }) => {
        if (done === true) {
          steps = scrubBlobs(blobs);
          return onRound();
        }
        if (!value.ok) return onBroken(value.sha256);
        return undefined;
      })
      .catch((error: unknown) => {
        if (!stopped) log.error({ err: error }, 'the scrub could not read on; it starts again');
        steps = scrubBlobs(blobs);
      })
      .finally(() => {
        if (!stopped) timer = setTimeout(step, stepMs).unref();
      });
  }
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
