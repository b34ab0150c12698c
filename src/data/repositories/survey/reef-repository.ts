import { reefFileSchema, tableOf, type ReefTable } from '../../../domain/reef/reef';
import type { RegionId } from '../../../domain/region/region-id';
import { REGIONS } from '../../../domain/region/regions';
import type { LiveQuery } from '../live';
import { createLiveQuery } from '../live-query';
import type { RepositoryContext } from '../repository-context';
import { memoizeByKey } from '../repository-context';

/** Regions whose table ships with the app, for a first start without a box: `public/reefs/<region>.json`. */
const BUNDLED_REGIONS: readonly RegionId[] = ['gbr'];

/** Reef table and its source: bundled with the app, or a fuller one from a box. */
export interface StoredReefTable extends ReefTable {
  readonly source: 'app' | 'box';
}

/** Reefs that surveys can name (architecture, "Region to map": a box's table takes precedence over the bundled one). */
export interface ReefRepository {
  /** One item, or none. While subscribed and connected, a newer table of the box is fetched and stored. */
  readonly table: (regionId: RegionId) => LiveQuery<StoredReefTable>;
}

export function createReefRepository(parts: RepositoryContext): ReefRepository {
  return { table: memoizeByKey((regionId: RegionId) => liveTable(parts, regionId)) };
}

function liveTable(parts: RepositoryContext, regionId: RegionId): LiveQuery<StoredReefTable> {
  const { store, edgeLink } = parts;
  let asked: unknown;
  return createLiveQuery<StoredReefTable>({
    start: (tell) => {
      let ended = false;
      let etag: string | undefined;
      const show = async (): Promise<void> => {
        const kept = (await store.getMeta('reefTables'))?.[regionId];
        etag = kept?.etag;
        const table =
          kept === undefined ? await bundledTable(parts, regionId) : { ...tableOf(kept.file), source: 'box' as const };
        if (!ended) tell.items(table === undefined ? [] : [table]);
      };
      const ask = async (): Promise<void> => {
        const verified = edgeLink.current;
        // Once per connection: the table does not change within a season.
        if (verified === undefined || verified === asked) return;
        asked = verified;
        const answer = await verified.reference(REGIONS[regionId].reefFeatureData, etag);
        if (typeof answer === 'string' || ended) return;
        const file = reefFileSchema.safeParse(parseJson(answer.text));
        if (!file.success || file.data.regionId !== regionId) {
          store.host.log.note('warn', 'The reef table from the box is not valid; keeping the current one.', {
            regionId,
          });
          return;
        }
        const keptAt = store.isoNow();
        await store.run(() =>
          store.db.transaction('rw', store.db.meta, async () => {
            const row = await store.db.meta.get('reefTables');
            await store.db.meta.put({
              key: 'reefTables',
              value: {
                ...(row?.value as object | undefined),
                [regionId]: { etag: answer.etag, keptAt, file: file.data },
              },
            });
          }),
        );
        await show();
      };
      const askCalmly = (): void => {
        ask().catch((error: unknown) =>
          store.host.log.note('info', 'The reef table could not be fetched from the box; keeping the current one.', {
            regionId,
            error: String(error),
          }),
        );
      };
      const stop = edgeLink.state.subscribe(askCalmly);
      show().then(askCalmly, (error: unknown) => tell.failed(error));
      return () => {
        ended = true;
        stop();
      };
    },
  });
}

/** Bundled table, cached by the service worker; undefined if there is none or it is unreadable. */
async function bundledTable({ store }: RepositoryContext, regionId: RegionId): Promise<StoredReefTable | undefined> {
  if (!BUNDLED_REGIONS.includes(regionId)) return undefined;
  try {
    const response = await store.host.fetch(`/reefs/${regionId}.json`);
    if (!response.ok) throw new Error(`returned status ${response.status}`);
    return { ...tableOf(reefFileSchema.parse(await response.json())), source: 'app' };
  } catch (error) {
    store.host.log.note('warn', 'The app’s own reef table could not be read; reefs can only be entered as text.', {
      regionId,
      error: String(error),
    });
    return undefined;
  }
}

/** undefined for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
