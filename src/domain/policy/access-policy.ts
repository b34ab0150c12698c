/** Email addresses of everyone who has used this tablet, by uid; empty without one. */
export type TabletPeople = Readonly<Record<string, string>>;

/** Ids of the current user and of the tablet's other users. */
export interface Viewer {
  /** All ids of the current user. People are matched by email, as sign-ins aboard and ashore have different ids. */
  readonly ownIds: ReadonlySet<string>;
  /** Ids of the tablet's other users. */
  readonly others: ReadonlySet<string>;
}

/** People of a survey, from the effective operations. */
export interface SurveyPeople {
  /** Owners named by the record, else the first author; several if the record named several. */
  readonly owners: ReadonlySet<string>;
  /** Participants (`accessGrantees` in the topic policy). */
  readonly participants: ReadonlySet<string>;
}

/**
 * Viewer for the current user.
 *
 * @param person null: no current user
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
 * True if a viewer may see a survey and its contents (1§6; several people on one tablet): own surveys, shared ones, and
 * those of people who never used this tablet, which the box distributes.
 */
export function canSeeSurvey({ ownIds, others }: Viewer, { owners, participants }: SurveyPeople): boolean {
  if (others.size === 0) return true;
  return (
    [...owners].every((uid) => !others.has(uid)) || [...ownIds].some((uid) => owners.has(uid) || participants.has(uid))
  );
}

/**
 * Access to a record with one owner: a profile, or an analysis. An analysis of someone else also needs access to its
 * survey.
 *
 * @param owner null: unknown
 */
export function accessToOwned({ ownIds, others }: Viewer, owner: string | null): 'own' | 'shared' | 'not' {
  if (owner === null) return 'shared';
  if (ownIds.has(owner)) return 'own';
  return others.has(owner) ? 'not' : 'shared';
}
