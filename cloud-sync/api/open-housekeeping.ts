import type pg from 'pg';
import type { Logger } from 'pino';
import { IDLE_PARTIAL_MS } from '../../src/server/blobs/idle-partials';
import { removeIdlePeople } from './accounts/people/idle-people';
import type { UnusedPhotos } from './accounts/people/unused-photos';
import { Housekeeping } from './jobs/housekeeping';
import type { CloudStores } from './open-stores';
import type { CloudSettings } from './settings';

interface HousekeepingParts {
  readonly pool: pg.Pool;
  readonly clock: () => number;
  readonly settings: Pick<CloudSettings, 'anonymousDays'>;
  readonly unusedPhotos: Pick<UnusedPhotos, 'run'>;
  readonly stores: Pick<CloudStores, 'removeIdlePartials'>;
  readonly log: Logger;
}

/** Periodic tasks of the service. */
export function openHousekeeping({
  pool,
  clock,
  settings,
  unusedPhotos,
  stores,
  log,
}: HousekeepingParts): Housekeeping {
  return new Housekeeping(
    [
      {
        name: 'people without an address who wrote nothing',
        run: () => removeIdlePeople(pool, clock(), settings.anonymousDays),
      },
      { name: 'unused profile photos and orphaned uploads', run: () => unusedPhotos.run() },
      { name: 'uploads that were never finished', run: () => stores.removeIdlePartials(clock() - IDLE_PARTIAL_MS) },
    ],
    log,
  );
}
