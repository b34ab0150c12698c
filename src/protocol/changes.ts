import { z } from 'zod';
import { idSchema } from '../domain/ids';
import { LIMITS } from '../domain/limits';
import type { Op } from '../domain/op/op';
import type { ClaimedRole } from '../domain/policy/claimed-roles';
import type { Receipt } from './receipt';

/**
 * Entry of a node's change feed. An operation and this node's receipt share an entry; a receipt of another node (the
 * cloud) has its own.
 */
export interface ChangeEntry {
  readonly seq: number;
  readonly op?: Op;
  readonly receipt?: Receipt;
  /** Author, if the op does not name one (the person of the submitting session). */
  readonly by?: string;
  /** Cloud only: roles that the op claims and the cloud confirmed at intake; a box trusts them. */
  readonly roles?: readonly ClaimedRole[];
}

/** Bytes that a box receipted and that are damaged or missing on it now. `key` names this list; '' names the empty one. */
export interface LostBytes {
  readonly key: string;
  readonly sha256: readonly string[];
}

export const NOTHING_LOST: LostBytes = { key: '', sha256: [] };

/** Page of the feed: `since` is exclusive; `next` is the last entry's seq, or `since` if empty. */
export interface ChangesPage {
  readonly storeEpoch: string;
  readonly entries: readonly ChangeEntry[];
  readonly next: number;
  /** On a box's empty page, if its list is not the one that the reader named. */
  readonly lost?: LostBytes;
  /** Names of the authors of these entries, by uid: a tablet at a box reads no profiles of others. */
  readonly names?: Readonly<Record<string, string>>;
}

/** Accepts a number or its digits in a URL, nothing else. */
const wholeNumber = (schema: z.ZodNumber) =>
  z.preprocess((value) => (typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value), schema);

/** Parameters of `changes` (protocol, Edge socket 8). */
export const changesParamsSchema = z.object({
  since: wholeNumber(z.int().min(0)).default(0),
  limit: wholeNumber(z.int().min(1).max(LIMITS.changesMax)).default(LIMITS.changesMax),
});

/** Parameters at the box. `lost`: key of the list of lost bytes that the reader has. */
export const edgeChangesParamsSchema = changesParamsSchema.extend({ lost: z.string().max(64).default('') });

/** Parameters at the cloud; a bridge whose credential serves several boxes names one. */
export const cloudChangesParamsSchema = changesParamsSchema.extend({ node: idSchema.optional() });
