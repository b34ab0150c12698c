import type { LabelAuthor } from '../../../domain/analysis/labelling/label-record';
import { eventTagsOf } from '../../../domain/event/event-tags';
import type { JsonObject } from '../../../domain/json';
import { initialDomains, readUser } from '../../../domain/user/user';
import { storedReference } from '../reference-follower';
import type { RepositoryContext } from '../repository-context';
import { currentPerson, readDocuments } from '../repository-context';
import { currentAuthor } from './write-record';

/** Author of a labelling with their place, and all their domains: those of the profile, else that of the address. */
export async function labelAuthor(
  parts: RepositoryContext,
): Promise<{ readonly author: LabelAuthor; readonly domains: readonly string[] }> {
  const author = await currentAuthor(parts);
  const { email } = currentPerson(parts);
  const [profile] = await readDocuments(parts, 'profile', [author.uid]);
  const user = profile === undefined ? null : readUser({ ...profile.folded.doc, uid: author.uid }, 'document');
  const domains = [...new Set([...(user?.domains ?? []), ...initialDomains(email)])];
  return { author: { ...author, domain: domains[0] ?? null, loc: placeOf(user?.loc ?? null) }, domains };
}

/** 2§3: "loc {id, value, _geoloc}". */
function placeOf(place: ReturnType<typeof readUser>['loc']): JsonObject | null {
  if (place === null || place === undefined) return null;
  const { id, value, _geoloc } = place;
  return {
    ...(id === null || id === undefined ? {} : { id }),
    ...(value === null || value === undefined ? {} : { value }),
    ...(_geoloc === null || _geoloc === undefined ? {} : { _geoloc: { ..._geoloc } }),
  };
}

/** Handles of the route's event, and of those linked to it or to the person. Events that never came here are unknown. */
export async function eventTags(
  { store }: RepositoryContext,
  domains: readonly string[],
  route: readonly string[],
): Promise<readonly string[]> {
  return eventTagsOf(await storedReference(store, 'events'), { route, domains, now: store.isoNow() });
}
