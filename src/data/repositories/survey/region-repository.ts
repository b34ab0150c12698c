import { ReefError } from '../../../domain/errors';
import type { Region } from '../../../domain/region/region';
import type { RegionId } from '../../../domain/region/region-id';
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
  /** All regions, in the bundled order. */
  readonly all: LiveQuery<Region>;
  /** 1§6: true if a region is active, so that its address opens. */
  readonly isActive: (regionId: RegionId) => Promise<boolean>;
}

/** Asks each server once per connection, as regions do not change within a day aboard, and stores what it sent. */
export function createRegionRepository({
  store,
  edgeLink,
  cloudLink,
  connectivity,
}: TabletCore): RegionRepository & { readonly close: () => void } {
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
  const stops = [follow(edgeLink, askBox), follow(cloudLink, askCloud)];

  return {
    all: createLiveQuery<Region>({
      start: (tell) =>
        store.watch(
          () => store.db.meta.get('staffRegions'),
          (row) => tell.items(merged(row?.value as StaffRegions | undefined)),
        ),
    }),
    isActive: async (regionId) => {
      const regions = merged(await store.getMeta('staffRegions'));
      return regions.some((region) => region.regionId === regionId && region.isActive);
    },
    close: () => stops.forEach((stop) => stop()),
  };
}

function merged({ cloud, box }: StaffRegions = {}): readonly Region[] {
  return withStaffChanges(withStaffChanges(REGION_LIST, cloud?.documents), box?.documents);
}
