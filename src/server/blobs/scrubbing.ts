import type { Logger } from 'pino';
import { scrubBlobs } from './blob-recovery';
import type { FileBlobStore } from './file-blob-store';

/** Between two blobs of the scrub: a season's photographs are read again within days, and the disk hardly notices. */
const SCRUB_STEP_MS = 5_000;

export interface ScrubOptions {
  /** Told of a photograph that is broken; it lies in quarantine already. */
  readonly onBroken: (sha256: string) => void | Promise<void>;
  readonly log: Logger;
  readonly stepMs?: number;
}

/** Reads every blob again and again, slowly (protocol, "in a slow scrub"); gives what ends it. */
export function startScrub(blobs: FileBlobStore, { onBroken, log, stepMs = SCRUB_STEP_MS }: ScrubOptions): () => void {
  let steps = scrubBlobs(blobs);
  let stopped = false;
  let timer = setTimeout(step, stepMs).unref();
  function step(): void {
    steps
      .next()
      .then(({ done, value }) => {
        if (done === true) steps = scrubBlobs(blobs);
        else if (!value.ok) return onBroken(value.sha256);
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
