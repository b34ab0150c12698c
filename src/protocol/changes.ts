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

/** Page of the feed: `since` is exclusive; `next` is the last entry's seq, or `since` if empty. */
export interface ChangesPage {
  readonly storeEpoch: string;
  readonly entries: readonly ChangeEntry[];
  readonly next: number;
}

/** Accepts a number or its digits in a URL, nothing else. */
const wholeNumber = (schema: z.ZodNumber) =>
  z.preprocess((value) => (typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value), schema);

/** Parameters of `changes` (protocol, Edge socket 8). */
export const changesParamsSchema = z.object({
  since: wholeNumber(z.int().min(0)).default(0),
  limit: wholeNumber(z.int().min(1).max(LIMITS.changesMax)).default(LIMITS.changesMax),
});

/** Parameters at the cloud; a bridge whose credential serves several boxes names one. */
export const cloudChangesParamsSchema = changesParamsSchema.extend({ node: idSchema.optional() });
