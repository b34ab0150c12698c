import { isId } from '../id-shape';
import type { PersonId } from '../ids';
import { isObject } from '../json';
import type { Op } from '../op/op';

/** What is seen and written together ashore: a survey (its id) with its images and analyses, or a person's profile. */
export type Topic = string;

/**
 * Why an operation is set aside ashore:
 * - `bringer`: who brought it may not speak for its writer;
 * - `part`: its writer has no part in the survey;
 * - `owner`: it gives the record to a person who neither wrote it nor has it;
 * - `survey`: its survey is itself set aside;
 * - `profile`: it is of another person's profile.
 */
export type HoldCode = 'bringer' | 'part' | 'owner' | 'survey' | 'profile';

/** In words for whoever wrote it and for staff; they stand in the receipt. */
export const HOLD_MESSAGES: Readonly<Record<HoldCode, string>> = {
  bringer:
    'The shore does not know yet that its writer uses this tablet. It is kept safe, and counts once they sign in on this tablet or the box brings it.',
  part: 'Its writer has no part in this survey ashore yet. It is kept safe, and counts once the box brings it or the staff lets it.',
  owner:
    'It says that the record belongs to someone who did not write it. It is kept safe, and counts once the box brings it or the staff lets it.',
  survey: 'Its survey is held for a person to look at.',
  profile: 'A person may only write their own profile.',
};

/** An operation of a survey or photograph is about to be judged; what the cloud knows of it. */
export interface WriteFacts {
  /** Who wrote it; null where nobody says. */
  readonly by: string | null;
  /** A box's bridge or staff brought it, or whoever did showed a box's receipt for just this operation. */
  readonly vouched: boolean;
  /** Whoever brought it may speak for the writer (see {@link maySubmit}). */
  readonly maySubmit: boolean;
  /** The survey of its topic; `none`: no accepted operation is known of it. Of a profile: whether it is there. */
  readonly survey: 'none' | 'held' | 'open' | 'private';
  /** The writer has a part in its topic. */
  readonly takesPart: boolean;
  /** The document that is there under its id, whether the writer has a part in the topic where that stands, and whose it is. */
  readonly document: { readonly takesPart: boolean; readonly owner: string | null } | null;
}

/** What the cloud knows of a way on which an operation came. */
export interface SubmissionFacts {
  readonly vouched: boolean;
  /** The person of the session; of a tablet, whoever is signed in on it. */
  readonly person: string | null;
  readonly isTablet: boolean;
  /** Whether the writer has an account ashore. */
  readonly hasAccount: boolean;
  /** Whether the writer made this tablet known. */
  readonly hasRegisteredTablet: boolean;
}

/**
 * Whether whoever brings an operation may speak for its writer. A person speaks for themselves alone; a tablet for whoever made
 * it known, and for people whom the cloud does not know, who signed in at a box.
 */
export function maySubmit(
  by: string | null,
  { vouched, person, isTablet, hasAccount, hasRegisteredTablet }: SubmissionFacts,
): boolean {
  if (vouched || by === person) return true;
  return isTablet && (by === null || !hasAccount || hasRegisteredTablet);
}

/**
 * Who may write what ashore (1§6; the specification leaves the checks open). A survey belongs to whoever wrote its first accepted
 * operation; others take part by being let in. A photograph that has a document elsewhere is written by who takes part there,
 * too. An analysis is its author's own: any person may add one to a survey that is not private.
 *
 * @returns why it is set aside, or undefined
 */
export function holdCodeFor(op: Op, facts: WriteFacts): HoldCode | undefined {
  const { by, vouched, survey, takesPart, document } = facts;
  if (op.kind === 'profile') {
    if (by !== null && by !== op.docId) return 'profile';
    if (vouched) return undefined;
    if (!facts.maySubmit) return 'bringer';
    return document === null || takesPart ? undefined : 'part';
  }
  if (op.kind === 'image' && survey === 'held') return 'survey';
  if (vouched) return undefined;
  if (!facts.maySubmit) return 'bringer';
  const claimedOwner = recordOwner(op.body);
  // Who comes first with a survey that says it is somebody else's does not get it by that.
  if (op.kind === 'survey' && survey === 'none') return by === null || claimedOwner === by ? undefined : 'owner';
  if (!takesPart && !(op.kind === 'analysis' && survey === 'open')) return 'part';
  if (document !== null && !document.takesPart && !(op.kind === 'analysis' && by !== null && document.owner === by))
    return 'part';
  const reassigns =
    by !== null && claimedOwner !== null && writesOwner(op) && claimedOwner !== by && claimedOwner !== document?.owner;
  return reassigns ? 'owner' : undefined;
}

/**
 * Whom an accepted operation lets see its topic. What the record says of whose it is counts where the operation was vouched for. To
 * have analysed a photograph is no part in its survey: the author sees the analysis itself.
 *
 * @param tabletOwner whose tablet brought what somebody wrote on it whom the cloud does not know: aboard they may be one and the same
 */
export function accessGrantees(
  op: Op,
  { by, vouched }: Pick<WriteFacts, 'by' | 'vouched'>,
  tabletOwner: string | null = null,
): readonly PersonId[] {
  const people =
    op.kind === 'profile'
      ? [op.docId]
      : vouched
        ? [by, recordOwner(op.body), tabletOwner]
        : op.kind === 'analysis'
          ? []
          : [by, tabletOwner];
  return [...new Set(people.filter((person) => person !== null))] as PersonId[];
}

/** The topic that an operation belongs to; null where it says none. */
export function topicOf(op: Pick<Op, 'kind' | 'docId' | 'body'>): Topic | null {
  if (op.kind === 'profile') return profileTopic(op.docId);
  if (op.kind === 'survey') return op.docId;
  return surveyIdOf(op.body);
}

export function profileTopic(uid: string): Topic {
  return `profile:${uid}`;
}

/** The survey that the body of an image or analysis names. */
export function surveyIdOf(body: { readonly [field: string]: unknown }): string | null {
  const survey = body['survey'];
  return isObject(survey) ? idOrNull(survey['id']) : null;
}

/** Whom a body says the record belongs to. */
export function recordOwner(body: { readonly [field: string]: unknown }): string | null {
  const user = body['user'];
  return isObject(user) ? idOrNull(user['uid']) : null;
}

function writesOwner({ kind, over }: Op): boolean {
  return over === undefined || kind === 'analysis' || Object.hasOwn(over, 'user');
}

/** Anything but an id in a body's place for one is nobody. */
function idOrNull(value: unknown): string | null {
  return isId(value) ? value : null;
}
