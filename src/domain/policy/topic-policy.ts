import { isId } from '../id-shape';
import type { PersonId } from '../ids';
import { isObject } from '../json';
import type { Op } from '../op/op';

/** Unit of access in the cloud: a survey (its id) with its images and analyses, or a person's profile. */
export type Topic = string;

/**
 * Reason that the cloud holds an operation:
 * - `bringer`: the submitter may not act for the author;
 * - `part`: the author is not a participant of the survey;
 * - `owner`: it assigns the record to a person who neither wrote nor owns it;
 * - `survey`: its survey is held;
 * - `profile`: it belongs to another person's profile;
 * - `foreign`: a box vouches for it, but neither the author nor that box has access to what exists here;
 * - `unsigned`: it changes the profile of an account without that person's signature;
 * - `signature`: its signature is wrong.
 */
export type HoldCode = 'bringer' | 'part' | 'owner' | 'survey' | 'profile' | 'foreign' | 'unsigned' | 'signature';

/** Hold messages for author and staff; part of the receipt. */
export const HOLD_MESSAGES: Readonly<Record<HoldCode, string>> = {
  bringer:
    'The shore does not know yet that its author uses this tablet. It is safe, and is released when the author signs in on this tablet or the box sends it.',
  part: 'Its author has no access to this survey yet. It is safe, and is released when the box sends it or staff release it.',
  owner:
    'It names an owner who did not write it. It is safe, and is released when the box sends it or staff release it.',
  survey: 'Its survey is on hold until staff review it.',
  profile: 'You can only change your own profile.',
  foreign:
    'Neither its author nor the box that sent it has access to this survey. It is safe, and is released when its author gets access or staff release it.',
  unsigned:
    'It changes the profile of an account without that person’s signature. It is safe. The person can make the change again on a tablet where they signed in, or staff release it.',
  signature: 'Its signature does not match. It is safe until staff review it.',
};

/**
 * Signature of an operation: `none`; `wrong`; `stranger`, by a key that is not certified for the author; `author`, by
 * one that is.
 */
export type SignatureState = 'none' | 'wrong' | 'stranger' | 'author';

/** Facts about an operation to be admitted. */
export interface WriteFacts {
  /** Author; null if unknown. */
  readonly by: string | null;
  readonly signature: SignatureState;
  /** The author has an account. */
  readonly hasAccount: boolean;
  /** Submitted in the author's own session. */
  readonly isOwnSession: boolean;
  /** Submitted by a box's bridge or staff, or with a box's receipt for exactly this operation. */
  readonly vouched: boolean;
  /** Submitted by staff. */
  readonly byStaff: boolean;
  /** The vouching box has a grant for its topic, and for that of the existing document. */
  readonly boxTakesPart: boolean;
  /** The submitter may act for the author (`maySubmit`). */
  readonly maySubmit: boolean;
  /** Survey of its topic; `none`: no accepted operation is known. Of a profile: whether it exists. */
  readonly survey: 'none' | 'held' | 'open' | 'private';
  /** The author participates in its topic. */
  readonly takesPart: boolean;
  /** Existing document with this id: its owner, and whether the author participates in its topic. */
  readonly document: { readonly takesPart: boolean; readonly owner: string | null } | null;
}

interface SubmissionFacts {
  readonly vouched: boolean;
  readonly signature: SignatureState;
  /** Person of the session; for a tablet, the signed-in person. */
  readonly person: string | null;
  readonly isTablet: boolean;
  /** True if the author has a cloud account. */
  readonly hasAccount: boolean;
  /** True if the author registered this tablet. */
  readonly hasRegisteredTablet: boolean;
}

/**
 * True if the submitter may act for the author. A person acts only for themselves; a tablet for anyone who registered
 * it, and for people without a cloud account, who signed in at a box. What the author signed, anyone may bring.
 */
export function maySubmit(
  by: string | null,
  { vouched, signature, person, isTablet, hasAccount, hasRegisteredTablet }: SubmissionFacts,
): boolean {
  if (vouched || signature === 'author' || by === person) return true;
  return isTablet && (by === null || !hasAccount || hasRegisteredTablet);
}

/**
 * Write permissions in the cloud (1§6; the specification leaves the checks open). A survey belongs to the author of its
 * first accepted operation; others participate once they have access. A photograph with a document in another survey
 * also needs participation there. An analysis belongs to its author: anyone may add one to a survey that is not
 * private. A box's word begins documents; on existing ones it counts if the author or that box has access. The profile
 * of an account needs its person's signature.
 *
 * @returns reason for the hold, or undefined
 */
export function holdCodeFor(op: Op, facts: WriteFacts): HoldCode | undefined {
  const { by, vouched, survey, takesPart, document } = facts;
  if (facts.signature === 'wrong') return 'signature';
  if (op.kind === 'profile') {
    if (by !== null && by !== op.docId) return 'profile';
    if (facts.hasAccount && facts.signature !== 'author' && !facts.isOwnSession && !facts.byStaff) return 'unsigned';
    if (vouched) return undefined;
    if (!facts.maySubmit) return 'bringer';
    return document === null || takesPart ? undefined : 'part';
  }
  if (op.kind === 'image' && survey === 'held') return 'survey';
  if (vouched) return isForeign(op, facts) ? 'foreign' : undefined;
  if (!facts.maySubmit) return 'bringer';
  const claimedOwner = recordOwner(op.body);
  // Creating a survey in another person's name does not grant it.
  if (op.kind === 'survey' && survey === 'none') return by === null || claimedOwner === by ? undefined : 'owner';
  if (!takesPart && !(op.kind === 'analysis' && survey === 'open')) return 'part';
  if (document !== null && !document.takesPart && !(op.kind === 'analysis' && by !== null && document.owner === by))
    return 'part';
  const reassigns =
    by !== null && claimedOwner !== null && writesOwner(op) && claimedOwner !== by && claimedOwner !== document?.owner;
  return reassigns ? 'owner' : undefined;
}

/** True if neither the author nor the vouching box has access to what the operation concerns and exists already. */
function isForeign(op: Op, { byStaff, boxTakesPart, survey, takesPart, document }: WriteFacts): boolean {
  if (byStaff || boxTakesPart) return false;
  if (document !== null && !document.takesPart) return true;
  return survey !== 'none' && !takesPart && !(op.kind === 'analysis' && survey === 'open' && document === null);
}

/**
 * People to whom an accepted operation grants access to its topic. The owner named in the record counts only if the
 * operation is vouched for. Analysing a photograph does not grant access to its survey. On what exists already, an
 * author with an account gets access only by their own signature.
 *
 * @param tabletOwner owner of the tablet on which an author without an account wrote: aboard they may be the same
 * person
 */
export function accessGrantees(
  op: Op,
  facts: Pick<WriteFacts, 'by' | 'vouched'> & Partial<WriteFacts>,
  tabletOwner: string | null = null,
): readonly PersonId[] {
  const people = op.kind === 'profile' ? [op.docId] : granteesOf(op, facts, tabletOwner);
  return [...new Set(people.filter((person) => person !== null))] as PersonId[];
}

function granteesOf(
  op: Op,
  facts: Pick<WriteFacts, 'by' | 'vouched'> & Partial<WriteFacts>,
  tabletOwner: string | null,
): readonly (string | null)[] {
  const { by, survey = 'none', boxTakesPart = false, takesPart = false } = facts;
  if (!facts.vouched) return op.kind === 'analysis' ? [] : [by, tabletOwner];
  const begins = survey === 'none' && op.kind !== 'analysis';
  const isProven = facts.signature === 'author' && (boxTakesPart || takesPart);
  if (begins || isProven || facts.byStaff === true) return [by, recordOwner(op.body), tabletOwner];
  return boxTakesPart && facts.hasAccount !== true ? [by] : [];
}

/**
 * True if the box that vouches for an accepted operation gets access to its topic: it began it, has access already, or
 * brings what an author with access signed. That it names such an author is no proof.
 */
export function boxGetsAccess(op: Op, facts: WriteFacts): boolean {
  const { survey, takesPart, document } = facts;
  const begins = op.kind === 'profile' ? document === null : survey === 'none';
  const isProven = facts.signature === 'author' && (takesPart || op.kind === 'profile');
  return begins || facts.boxTakesPart || isProven;
}

/** Topic of an operation; null if it names none. */
export function topicOf(op: Pick<Op, 'kind' | 'docId' | 'body'>): Topic | null {
  if (op.kind === 'profile') return profileTopic(op.docId);
  if (op.kind === 'survey') return op.docId;
  return surveyIdOf(op.body);
}

export function profileTopic(uid: string): Topic {
  return `profile:${uid}`;
}

/** Survey id in the body of an image or analysis. */
export function surveyIdOf(body: { readonly [field: string]: unknown }): string | null {
  const survey = body['survey'];
  return isObject(survey) ? idOrNull(survey['id']) : null;
}

/** Owner that a body names. */
export function recordOwner(body: { readonly [field: string]: unknown }): string | null {
  const user = body['user'];
  return isObject(user) ? idOrNull(user['uid']) : null;
}

function writesOwner({ kind, over }: Op): boolean {
  return over === undefined || kind === 'analysis' || Object.hasOwn(over, 'user');
}

/** Anything but an id counts as none. */
function idOrNull(value: unknown): string | null {
  return isId(value) ? value : null;
}
