/** The addresses of everybody who was at a tablet, by uid; empty: without one. */
export type TabletPeople = Readonly<Record<string, string>>;

/** Whose ids stand on which side for whoever looks at a tablet's screens. */
export interface Viewer {
  /** Ids under which they were at this tablet. Somebody is told by the address: who signed in aboard and ashore has two. */
  readonly ownIds: ReadonlySet<string>;
  /** Ids of the other people who were at this tablet. */
  readonly others: ReadonlySet<string>;
}

/** What a tablet knows of a survey's people, from the operations that count. */
export interface SurveyPeople {
  /** Whose it is, as its record says; where that says nothing, whoever wrote of it first. Several where the record said several. */
  readonly owners: ReadonlySet<string>;
  /** Whoever has a part in it (`letsSee` of the topic policy). */
  readonly participants: ReadonlySet<string>;
}

/**
 * The viewer at a tablet.
 *
 * @param person null: nobody is at the tablet
 */
export function viewerOf(
  person: { readonly uid: string; readonly email: string } | null,
  people: TabletPeople,
): Viewer {
  const own = new Set<string>(person === null ? [] : [person.uid]);
  const others = new Set<string>();
  const ownEmail = person?.email.toLowerCase() ?? '';
  for (const [uid, email] of Object.entries(people)) {
    if (ownEmail !== '' && email.toLowerCase() === ownEmail) own.add(uid);
    else if (!own.has(uid)) others.add(uid);
  }
  return { ownIds: own, others };
}

/**
 * Whether a viewer sees a survey with all that is in it (1§6; several people on one tablet): their own, those they take part in, and what came
 * from people who never were at this tablet, which the box shares. So of what other people of this tablet began they see what they work on together.
 */
export function canSeeSurvey({ ownIds, others }: Viewer, { owners, participants }: SurveyPeople): boolean {
  if (others.size === 0) return true;
  return (
    [...owners].every((uid) => !others.has(uid)) || [...ownIds].some((uid) => owners.has(uid) || participants.has(uid))
  );
}

/**
 * Whether a viewer sees a record that belongs to one person: a profile, or an analysis, which is its author's. Of an analysis the survey is asked as
 * well, unless it is their own.
 *
 * @param owner null: nobody says whose it is
 */
export function accessToOwned({ ownIds, others }: Viewer, owner: string | null): 'own' | 'shared' | 'not' {
  if (owner === null) return 'shared';
  if (ownIds.has(owner)) return 'own';
  return others.has(owner) ? 'not' : 'shared';
}
