import type { CrewNames } from '../../ops/database';
import type { LiveQuery } from '../live';
import { createLiveQuery } from '../live-query';
import type { RepositoryContext } from '../repository-context';
import type { ProfileName } from './profile-name';

/**
 * Adds people aboard whom only a box has named. Who used this tablet is named by their profile alone, and by the rule
 * of the list.
 */
export function withCrewNames(
  { store, access }: RepositoryContext,
  profiles: LiveQuery<ProfileName>,
): LiveQuery<ProfileName> {
  return createLiveQuery<ProfileName>({
    resetOn: access.changed,
    start: (tell) => {
      let crew: CrewNames = {};
      const show = (): void => {
        const read = profiles.get();
        if (read.status === 'error') tell.failed(read.error);
        if (read.status !== 'ready') return;
        const known = new Set(read.items.map(({ uid }) => uid));
        const others = Object.entries(crew).filter(([uid]) => !known.has(uid) && !access.isOfTablet(uid));
        tell.items([...read.items, ...others.map(([uid, name]) => ({ uid, name }))]);
      };
      const stops = [
        profiles.subscribe(show),
        store.watch(
          () => store.db.meta.get('crewNames'),
          (row) => {
            crew = (row?.value as CrewNames | undefined) ?? {};
            show();
          },
        ),
      ];
      return () => stops.forEach((stop) => stop());
    },
  });
}
