import { tabletName } from '../../transport/edge/verify-with-edge';
import type { RepositoryContext } from '../repository-context';

/** Name of this tablet as boxes and the shore list it. */
export interface TabletNameRepository {
  readonly read: () => Promise<string>;
  /** Stores a name and tells it to a connected box; a blank one restores that of the browser. */
  readonly rename: (name: string) => Promise<void>;
}

/** Longest name; a box accepts 80 characters. */
const NAME_MAX = 60;

export function createTabletNameRepository({ store, self, edgeLink }: RepositoryContext): TabletNameRepository {
  return {
    read: () => tabletName(store, self.name),
    rename: async (name) => {
      const given = name.trim().replace(/\s+/g, ' ').slice(0, NAME_MAX);
      await store.setMeta('tabletName', given === '' ? self.name : given);
      // The box reads the name when a connection begins.
      edgeLink.drop();
      edgeLink.retryNow();
    },
  };
}
