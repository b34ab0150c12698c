import type { PersonId } from '../../../domain/ids';
import { readUser } from '../../../domain/user/user';
import type { ReadDoc } from '../../db/read-model';
import { createLiveQuery } from '../live-query';
import type { LiveQuery } from '../live';
import { liveDocuments, type RepositoryContext } from '../repository-context';

/** Person of the crew, of whom a profile is on this tablet. */
export interface KnownPerson {
  readonly uid: PersonId;
  readonly name: { readonly first: string; readonly last: string };
  readonly email: string;
  /** True if they have used this tablet. */
  readonly isOfTablet: boolean;
}

/** Most people to choose from. */
const KNOWN_MAX = 12;

/** People who may take over this tablet, each address once, without the current user; those of this tablet first. */
export function createKnownPeople(parts: RepositoryContext): LiveQuery<KnownPerson> {
  const profiles = liveDocuments<KnownPerson>(parts, {
    kinds: ['profile'],
    scope: 'everybody',
    view: ({ profile = [] }) => profile.flatMap((document) => nameOf(document, parts.access.isOfTablet(document.id))),
  });
  return createLiveQuery({
    resetOn: parts.access.changed,
    start: (tell) => {
      const show = (): void => {
        const read = profiles.get();
        if (read.status === 'error') tell.failed(read.error);
        if (read.status !== 'ready') return;
        const seen = new Set([parts.person.get()?.email.toLowerCase() ?? '']);
        tell.items(
          [...read.items]
            .sort((a, b) => Number(b.isOfTablet) - Number(a.isOfTablet) || textOf(a).localeCompare(textOf(b), 'en'))
            .filter(({ email }) => !seen.has(email.toLowerCase()) && seen.add(email.toLowerCase()))
            .slice(0, KNOWN_MAX),
        );
      };
      return profiles.subscribe(show);
    },
  });
}

function nameOf({ id, doc }: ReadDoc, isOfTablet: boolean): readonly KnownPerson[] {
  const { name, email, isDeleted } = readUser({ ...doc, uid: id }, 'document');
  if (isDeleted || name.first.trim() === '' || (email ?? '') === '') return [];
  return [{ uid: id as PersonId, name: { first: name.first, last: name.last }, email: email ?? '', isOfTablet }];
}

const textOf = ({ name }: KnownPerson): string => `${name.first} ${name.last}`;
