import { ReefError } from '../../../domain/errors';
import type { Region } from '../../../domain/region/region';
import { REGION_LIST } from '../../../domain/region/regions';
import { REGIONS_REFERENCE, withStaffChanges } from '../../../domain/region/staff-regions';
import type { MetaValues } from '../../ops/database';
import type { TabletCore } from '../../tablet-core';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import { parseJson } from '../../transport/http';
import type { LiveQuery } from '../live';
import { createLiveQuery } from '../live-query';

type StaffRegions = NonNullable<MetaValues['staffRegions']>;

/**
 * Regions of the census: bundled, changed by what the cloud last sent, changed by what the box last sent (architecture,
 * "Region to map").
 */
export interface RegionRepository {
  /** All regions, in the bundled order. While subscribed and connected, newer changes are fetched and stored. */
  readonly all: LiveQuery<Region>;
}

export function createRegionRepository({ store, edgeLink, cloudLink, connectivity }: TabletCore): RegionRepository {
  const keep = (source: keyof StaffRegions, value: StaffRegions[keyof StaffRegions]): Promise<unknown> =>
    store.run(() =>
      store.db.transaction('rw', store.db.meta, async () => {
        const { [source]: _before, ...rest } = ((await store.db.meta.get('staffRegions'))?.value ?? {}) as StaffRegions;
        await store.db.meta.put({
          key: 'staffRegions',
          value: value === undefined ? rest : { ...rest, [source]: value },
        });
      }),
    );

  async function askBox(): Promise<void> {
    const link = edgeLink.current;
    if (link === undefined) return;
    const etag = (await store.getMeta('staffRegions'))?.box?.etag;
    const answer = await link.http.reference(REGIONS_REFERENCE, link.edge.session, etag);
    if (answer === 'none') await keep('box', undefined);
    else if (answer !== 'unchanged') await keep('box', { etag: answer.etag, documents: parseJson(answer.text) });
  }

  async function askCloud(): Promise<void> {
    const origin = connectivity.answeringCloud.get()?.origin ?? null;
    if (cloudLink.current === undefined || origin === null) return;
    await keep('cloud', { documents: await new CloudHttp(store.host, origin).reference(REGIONS_REFERENCE) });
  }

  return {
    all: createLiveQuery<Region>({
      start: (tell) => {
        /** Asks once per connection: regions do not change within a day aboard. */
        const follow = (link: typeof edgeLink | typeof cloudLink, ask: () => Promise<void>): (() => void) => {
          let asked: unknown;
          const askOnce = (): void => {
            if (link.current === undefined || link.current === asked) return;
            asked = link.current;
            ask().catch((error: unknown) =>
              store.host.log.note('info', 'The regions could not be fetched; keeping the current ones.', {
                error: error instanceof ReefError ? error.code : String(error),
              }),
            );
          };
          const stop = link.state.subscribe(askOnce);
          askOnce();
          return stop;
        };
        const stops = [
          store.watch(
            () => store.db.meta.get('staffRegions'),
            (row) => {
              const { cloud, box } = (row?.value ?? {}) as StaffRegions;
              tell.items(withStaffChanges(withStaffChanges(REGION_LIST, cloud?.documents), box?.documents));
            },
          ),
          follow(edgeLink, askBox),
          follow(cloudLink, askCloud),
        ];
        return () => stops.forEach((stop) => stop());
      },
    }),
  };
}
