import { ReefError } from '../../domain/errors';

/** Live answer: of a server (`ready`), or stored. */
interface LiveRead<Value> {
  readonly get: () => ReadState<Value>;
  readonly subscribe: (onChange: () => void) => () => void;
}
interface ReadState<Value> {
  readonly status: 'ready' | 'reading' | 'stored' | 'error';
  readonly value: Value | null;
  readonly error?: ReefError;
}

/** Reads of the report that are stored once they were read. */
export interface ReportReads<Image> {
  /** Tables of the region: contents list, features, results, rubble; one may not be published yet. */
  readonly tables: readonly LiveRead<unknown>[];
  readonly surveysOf: (featureId: string) => LiveRead<readonly { readonly id: string }[]>;
  readonly imagesOf: (surveyId: string) => LiveRead<readonly Image[]>;
  /** Fetches a small picture, unless it is stored. Returns false if no server in reach has it. */
  readonly smallPicture: (image: Image) => Promise<boolean>;
  /** Throws if the answer that was read last could not be stored. */
  readonly requireStored: () => void;
  /** Feature ids of reefs whose surveys are stored. */
  readonly storedReefs: () => Promise<readonly string[]>;
}

/** Parts that a person chose. */
interface TakenParts {
  readonly cards: boolean;
  readonly pictures: boolean;
}

/**
 * Reads everything of a dataset once, reef by reef. What is stored stays if it is interrupted. Reefs that lost their last
 * survey are read again, too: what is stored of them may no longer be shown.
 *
 * @param featureIds reefs with surveys in the dataset
 * @param onProgress called with the number of finished reefs
 * @returns number of photographs that no server in reach has a picture of
 * @throws ReefError of the first read that fails, `disconnected` if no server is in reach, `storage-full`; the signal's
 * reason
 */
export async function takeCards<Image>(
  reads: ReportReads<Image>,
  featureIds: readonly string[],
  parts: TakenParts,
  signal: AbortSignal,
  onProgress: (reefs: number) => void,
): Promise<number> {
  const read = async <Value>(from: LiveRead<Value>): Promise<Value> => {
    const value = await settled(from, signal);
    reads.requireStored();
    return value;
  };
  let missing = 0;
  for (const table of reads.tables) await orMissing(read(table));
  const present = new Set(featureIds);
  for (const featureId of await reads.storedReefs())
    if (!present.has(featureId)) await read(reads.surveysOf(featureId));
  if (!parts.cards && !parts.pictures) return missing;
  for (const [n, featureId] of featureIds.entries()) {
    for (const { id } of await read(reads.surveysOf(featureId))) {
      const images = await read(reads.imagesOf(id));
      if (!parts.pictures) continue;
      for (const image of images) {
        signal.throwIfAborted();
        if (!(await reads.smallPicture(image))) missing++;
      }
    }
    onProgress(n + 1);
  }
  return missing;
}

/** Ignores that a table is not published. */
async function orMissing(reading: Promise<unknown>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (!(error instanceof ReefError) || error.code !== 'not-found') throw error;
  }
}

/** Waits for the server's answer. @throws ReefError */
function settled<Value>(read: LiveRead<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // A read may answer while it is subscribed to.
    const stops: (() => void)[] = [];
    let isDone = false;
    const end = (finish: () => void): void => {
      if (isDone) return;
      isDone = true;
      for (const stop of stops) stop();
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onAbort = (): void => end(() => reject(signal.reason as Error));
    const look = (): void => {
      const { status, value, error } = read.get();
      if (status === 'ready' && value !== null) end(() => resolve(value));
      else if (status === 'error') end(() => reject(error ?? new ReefError('internal')));
      else if (status === 'stored') end(() => reject(new ReefError('disconnected')));
    };
    signal.addEventListener('abort', onAbort);
    const stop = read.subscribe(look);
    if (isDone) stop();
    else {
      stops.push(stop);
      look();
    }
  });
}
