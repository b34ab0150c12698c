import { formatBytes } from '../../../base/format-bytes';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import { liveValue } from '../../../base/live-value';
import { ReefError } from '../../../domain/errors';
import type { EdgeCache } from '../../cache/edge-cache';
import type { PackRow, PackStore } from '../../cache/pack-store';
import type { Observable } from '../live';
import { knownCloudOrigin, type RepositoryContext } from '../repository-context';
import { downloadPack } from './download-pack';
import { createLandChart, LAND_PACK, type LandChart } from './land-chart';
import { packError } from './pack-error';

/** Archive that can be taken along, as `RegionMeta.layers` lists it. */
export interface PackItem {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Archive on this tablet, or on its way. */
export interface PackView {
  readonly name: string;
  /** `kept`: complete and checked. `paused`: a part is stored. */
  readonly status: 'kept' | 'paused' | 'fetching' | 'failed';
  readonly received: number;
  /** Bytes of the whole; null if unknown. */
  readonly total: number | null;
  /** SHA-256 of a complete one; null if unknown. */
  readonly sha256: string | null;
  /** Time of a complete download by this tablet's clock, ms since the epoch. */
  readonly at: number | null;
  readonly why: { readonly code: string; readonly message: string } | null;
}

/** Place of an archive: a file of this tablet, or an address that answers byte ranges. */
type PackLocation =
  | {
      readonly kind: 'file';
      readonly file: File;
      /** Version of the file; null if unknown. */
      readonly sha256: string | null;
    }
  | { readonly kind: 'url'; readonly url: string };

/** Map archives for offline use, from the box or the cloud. */
export interface PackRepository extends LandChart {
  /** All but the land chart, by name. */
  readonly packs: Observable<readonly PackView[]>;
  /**
   * Downloads archives one after the other; those that are current are skipped, and one that was cut is continued.
   * Settles when all are stored, after a failure (see `packs`), or when they are paused.
   *
   * @returns true if all are stored
   * @throws ReefError `storage-full` before anything is downloaded, `disconnected` if no server is in reach
   */
  readonly download: (items: readonly PackItem[]) => Promise<boolean>;
  /** Stops a running download. What arrived stays. */
  readonly pause: () => void;
  readonly remove: (names: readonly string[]) => Promise<void>;
  /**
   * Finds an archive: the stored one of this version, else the server in reach, else an older stored one.
   * @param sha256 of the wanted version
   * @returns null without one
   */
  readonly locate: (name: string, sha256?: string) => Promise<PackLocation | null>;
}

/** Share of the free space that stays for photographs. */
const SPACE_MARGIN = 0.1;

export function createPackRepository(
  context: RepositoryContext,
  cache: EdgeCache,
  servedBy: string | undefined,
): PackRepository {
  const { host } = context.store;
  const store = cache.packs;
  const views = new ObservableValue<readonly PackView[]>([], isJsonEqual);
  /** Views that the store does not know: downloads that run or failed in this tab. */
  const own = new Map<string, PackView>();
  let running: { readonly abort: AbortController; readonly done: Promise<boolean> } | undefined;

  // A cache that cannot be read holds nothing.
  const read = (name: string): Promise<PackRow | undefined> =>
    store.get(name).catch((error: unknown) => {
      host.log.note('warn', 'A stored map could not be read.', { name, error: String(error) });
      return undefined;
    });
  const refresh = async (): Promise<void> => {
    try {
      const kept = (await store.list()).map((row): PackView => ({
        name: row.name,
        status: 'kept',
        received: row.bytes,
        total: row.bytes,
        sha256: row.sha256 ?? null,
        at: row.at,
        why: null,
      }));
      const partial = await Promise.all((await store.listPartial()).map((name) => store.getPartial(name)));
      const paused = partial
        .filter((part) => part !== undefined)
        .map(({ name, bytes, total }): PackView => ({
          name,
          status: 'paused',
          received: bytes,
          total,
          sha256: null,
          at: null,
          why: null,
        }));
      const byName = new Map([...kept, ...paused, ...own.values()].map((view) => [view.name, view]));
      byName.delete(LAND_PACK);
      views.set([...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
    } catch (error) {
      host.log.note('warn', 'The stored maps could not be listed.', { error: String(error) });
    }
  };
  const showProgress = (view: PackView): void => {
    own.set(view.name, view);
    views.set(
      [...views.get().filter(({ name }) => name !== view.name), view].sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  };

  const downloadOne = async ({ name, bytes, sha256 }: PackItem, origin: string, signal: AbortSignal): Promise<void> => {
    const view = (received: number, total: number | null): PackView => ({
      name,
      status: 'fetching',
      received,
      total: total ?? bytes,
      sha256: null,
      at: null,
      why: null,
    });
    // Another tab may be at it: this one waits, and finds the archive complete or goes on where it ended.
    showProgress(view((await store.getPartial(name))?.bytes ?? 0, bytes));
    await host.locks.hold(`reef-pack-${name}`, signal, async () => {
      const row = await downloadPack(host, store, { name, origin, sha256 }, signal, (received, total) =>
        showProgress(view(received, total)),
      );
      if (row?.sha256 !== sha256)
        throw new ReefError('not-found', { message: 'The server in reach does not have this map yet.' });
      own.delete(name);
    });
  };
  const run = async (items: readonly PackItem[], origin: string, signal: AbortSignal): Promise<boolean> => {
    let isWhole = true;
    for (const item of items) {
      try {
        await downloadOne(item, origin, signal);
      } catch (error) {
        isWhole = false;
        if (signal.aborted) {
          own.delete(item.name);
          break;
        }
        const { code, message, cause } = packError(error, 'map');
        host.log.note('warn', 'A map could not be downloaded.', {
          name: item.name,
          code,
          error: String(cause ?? message),
        });
        const received = (await store.getPartial(item.name).catch(() => undefined))?.bytes ?? 0;
        const failed = {
          name: item.name,
          status: 'failed',
          received,
          total: item.bytes,
          sha256: null,
          at: null,
        } as const;
        showProgress({ ...failed, why: { code, message } });
        break;
      }
    }
    await refresh();
    return isWhole;
  };

  return {
    ...createLandChart(context, read, store),
    packs: liveValue(views, () => {
      void refresh();
      return [];
    }),
    download: async (items) => {
      if (running !== undefined) return running.done;
      const origin = originsInReach(context, servedBy)[0];
      if (origin === undefined) throw new ReefError('disconnected');
      await checkSpace(context, items, store);
      const abort = new AbortController();
      const done = run(items, origin, abort.signal).finally(() => {
        running = undefined;
      });
      running = { abort, done };
      return done;
    },
    pause: () => running?.abort.abort(),
    remove: async (names) => {
      running?.abort.abort();
      await running?.done;
      for (const name of names) {
        own.delete(name);
        await store.delete(name);
      }
      await refresh();
    },
    locate: async (name, sha256) => {
      const row = await read(name);
      const stored: PackLocation | null =
        row === undefined
          ? null
          : { kind: 'file', file: new File([row.blob], `${name}.pmtiles`), sha256: row.sha256 ?? null };
      if (stored !== null && (sha256 === undefined || row?.sha256 === sha256)) return stored;
      const [origin] = originsInReach(context, servedBy);
      if (origin !== undefined) return { kind: 'url', url: `${origin}/tiles/${name}.pmtiles` };
      if (stored !== null) return stored;
      // To someone without an account no server answers by name; the page's own has the public map.
      const { offlineByChoice, browserOnline } = context.connectivity.facts.get();
      const isInReach = servedBy !== undefined && browserOnline && !offlineByChoice;
      return isInReach ? { kind: 'url', url: `${servedBy}/tiles/${name}.pmtiles` } : null;
    },
  };
}

/** Servers that may have the archives: the box that answers, the cloud, the page's own. */
function originsInReach(context: RepositoryContext, servedBy: string | undefined): readonly string[] {
  const { answering, offlineByChoice, browserOnline } = context.connectivity.facts.get();
  if (offlineByChoice) return [];
  const edge = context.connectivity.answeringEdge.get()?.edge.origin;
  const ashore = browserOnline ? [knownCloudOrigin(context), answering === 'none' ? undefined : servedBy] : [];
  return [edge, ...ashore].filter((origin) => origin !== undefined && origin !== null);
}

/**
 * Parts are stored as they arrive and joined at the end: the largest archive is there twice for a moment.
 *
 * @throws ReefError `storage-full` {bytes} if the browser reports less space than the archives need
 */
async function checkSpace(
  { store: { host } }: RepositoryContext,
  items: readonly PackItem[],
  store: PackStore,
): Promise<void> {
  const { used, quota } = await host.storage.estimate();
  if (used === null || quota === null) return;
  const kept = await store.list();
  const wanted = items.filter(({ name, sha256 }) => !kept.some((row) => row.name === name && row.sha256 === sha256));
  const missing = await Promise.all(
    wanted.map(async ({ name, bytes }) => Math.max(0, bytes - ((await store.getPartial(name))?.bytes ?? 0))),
  );
  const needed = missing.reduce((sum, bytes) => sum + bytes, 0) + Math.max(0, ...wanted.map(({ bytes }) => bytes));
  const free = Math.max(0, (quota - used) * (1 - SPACE_MARGIN));
  if (needed > free)
    throw new ReefError('storage-full', {
      message: `This tablet does not have enough space for the map: it needs ${formatBytes(needed)} while it is saved, and ${formatBytes(free)} can be used. Free up space, then try again.`,
      bytes: needed,
    });
}
