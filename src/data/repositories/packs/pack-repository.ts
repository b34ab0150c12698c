import { ReefError } from '../../../domain/errors';
import { PACK_LIMITS } from '../../../domain/limits/packs';
import type { EdgeCache, PackRow } from '../../cache/edge-cache';
import { liveValue } from '../../../base/live-value';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import type { Observable } from '../live';
import type { RepositoryContext } from '../repository-context';

interface CachedPack {
  readonly bytes: number;
  /** Time of the download, by this tablet's clock in ms since the epoch. */
  readonly at: number;
  /** Changes with each replacement. */
  readonly id: string;
}

/** State of the land chart on this tablet. A cached one is shown in every state. */
export type PackState =
  | { readonly status: 'looking' }
  /** Nothing cached, and no box met that has one. */
  | { readonly status: 'none' }
  | {
      readonly status: 'fetching';
      readonly received: number;
      readonly total: number | null;
      readonly cached: CachedPack | null;
    }
  | { readonly status: 'kept'; readonly cached: CachedPack }
  | {
      readonly status: 'failed';
      readonly why: { readonly code: string; readonly message: string };
      readonly cached: CachedPack | null;
    };

/** Charts downloaded from the box for offline use. */
export interface PackRepository {
  /** Land chart, fetched while subscribed, and again when the box's ETag changes. */
  readonly land: Observable<PackState>;
  /** Archive as a file for byte-range reads; null for none. */
  readonly openLand: () => Promise<File | null>;
  /** Fetches it from the box now. The cached one stays until the new one is complete. */
  readonly refreshLand: () => Promise<void>;
}

const LAND_PACK = 'land';
const MAGIC = 'PMTiles';

export function createPackRepository(parts: RepositoryContext, cache: EdgeCache): PackRepository {
  const { connectivity } = parts;
  const { log, locks } = parts.store.host;
  const state = new ObservableValue<PackState>({ status: 'looking' }, isJsonEqual);
  let loading: Promise<void> | undefined;
  let running: Promise<void> | undefined;
  let lastRefresh: { readonly nodeId: string; readonly at: number } | undefined;

  const loadCached = (): Promise<void> => {
    loading ??= cache.getPack(LAND_PACK).then((row) => {
      if (state.get().status === 'looking')
        state.set(row === undefined ? { status: 'none' } : { status: 'kept', cached: toCachedPack(row) });
    });
    return loading;
  };
  const refresh = (): Promise<void> => {
    running ??= locks
      .hold('reef-pack-land', new AbortController().signal, async () => {
        const edge = connectivity.answeringEdge.get()?.edge;
        if (edge === undefined) return;
        const before = await cache.getPack(LAND_PACK);
        const kept = before === undefined ? null : toCachedPack(before);
        try {
          const row = await fetchPack(parts, edge.origin, before, (received, total) =>
            state.set({ status: 'fetching', received, total, cached: kept }),
          );
          if (row !== before && row !== undefined) await cache.storePack(row);
          lastRefresh = { nodeId: edge.nodeId, at: parts.store.host.clock.elapsed() };
          state.set(row === undefined ? { status: 'none' } : { status: 'kept', cached: toCachedPack(row) });
        } catch (error) {
          const why =
            error instanceof ReefError
              ? error
              : isQuota(error)
                ? new ReefError('storage-full', {
                    message: 'This tablet does not have enough space for the chart.',
                    cause: error,
                  })
                : new ReefError('internal', { message: 'The chart could not be saved on this tablet.', cause: error });
          log.note('warn', 'The chart could not be fetched.', {
            code: why.code,
            error: String(why.cause ?? why.message),
          });
          state.set({ status: 'failed', why: { code: why.code, message: why.message }, cached: kept });
        }
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const refreshIfDue = (): void => {
    const edge = connectivity.answeringEdge.get()?.edge;
    if (edge === undefined) return;
    const isFresh =
      lastRefresh?.nodeId === edge.nodeId && parts.store.host.clock.elapsed() - lastRefresh.at < PACK_LIMITS.recheckMs;
    if (!isFresh) void loadCached().then(refresh);
  };

  return {
    land: liveValue(state, () => {
      void loadCached();
      refreshIfDue();
      return [connectivity.answeringEdge.subscribe(refreshIfDue)];
    }),
    openLand: async () => {
      const row = await cache.getPack(LAND_PACK);
      return row === undefined ? null : new File([row.blob], `${LAND_PACK}-${toCachedPack(row).id}.pmtiles`);
    },
    refreshLand: async () => {
      await loadCached();
      await refresh();
    },
  };
}

function toCachedPack({ bytes, at, etag }: PackRow): CachedPack {
  return { bytes, at, id: (etag ?? String(at)).replaceAll(/[^0-9A-Za-z]/g, '') };
}

/**
 * Fetches the whole archive.
 * @returns the cached one if unchanged; undefined if neither has one
 * @throws ReefError `disconnected`, `too-large`, `bad-message` (not an archive, or incomplete)
 */
async function fetchPack(
  { store }: RepositoryContext,
  origin: string,
  before: PackRow | undefined,
  tell: (received: number, total: number | null) => void,
): Promise<PackRow | undefined> {
  const { host } = store;
  const abort = new AbortController();
  const isSame = before?.origin === origin && before.etag !== null;
  try {
    const response = await host.fetch(`${origin}/tiles/${LAND_PACK}.pmtiles`, {
      cache: 'no-store',
      credentials: 'omit',
      signal: abort.signal,
      ...(isSame && before.etag !== null ? { headers: { 'if-none-match': before.etag } } : {}),
    });
    if (response.status === 304 && before !== undefined) return before;
    // The box has no chart: the one from another box stays.
    if (response.status === 404) return before;
    if (!response.ok || response.body === null)
      throw new ReefError('disconnected', { message: `The box returned status ${response.status} for its chart.` });
    const etag = response.headers.get('etag');
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const total = Number.isFinite(length) ? length : null;
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let received = 0;
    tell(0, total);
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await readChunk(host, reader);
      if (done) break;
      parts.push(new Uint8Array(value));
      received += value.byteLength;
      if (received > PACK_LIMITS.bytesMax)
        throw new ReefError('too-large', { message: 'The box’s chart is too large for this tablet.' });
      tell(received, total);
    }
    if (total !== null && received !== total)
      throw new ReefError('bad-message', { message: 'Only part of the chart was downloaded.' });
    const blob = new Blob(parts, { type: 'application/vnd.pmtiles' });
    if ((await blob.slice(0, MAGIC.length).text()) !== MAGIC)
      throw new ReefError('bad-message', { message: 'The chart from the box is damaged. Try again later.' });
    return { name: LAND_PACK, blob, bytes: received, etag, at: host.clock.now(), origin };
  } catch (error) {
    abort.abort();
    throw error instanceof ReefError ? error : new ReefError('disconnected', { cause: error });
  }
}

/** @throws ReefError `timeout` after a silence longer than a receipt may take */
function readChunk(
  { timers }: RepositoryContext['store']['host'],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(PACK_LIMITS.stallTimeoutMs, () => reject(new ReefError('timeout')));
    reader.read().then(resolve, reject).finally(cancel);
  });
}

function isQuota(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'QuotaExceededError' ||
      (error as { inner?: { name?: string } }).inner?.name === 'QuotaExceededError')
  );
}
