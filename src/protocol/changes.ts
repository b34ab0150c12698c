import { z } from 'zod';
import { idSchema } from '../domain/ids';
import { LIMITS } from '../domain/limits';
import type { Op } from '../domain/op/op';
import type { ClaimedRole } from '../domain/policy/claimed-roles';
import type { Receipt } from './receipt';

/**
 * One entry of a node's change feed. An operation and the receipt that the node gave for it share one entry; a receipt
 * that came from another node (the cloud's) has one of its own.
 */
export interface ChangeEntry {
  readonly seq: number;
  readonly op?: Op;
  readonly receipt?: Receipt;
  /** Who wrote the op where the op itself does not say (it was the person of the session that brought it). */
  readonly by?: string;
  /** Ashore: what the op says that its author is and the cloud knew of them when it took it in; a box takes the cloud's word for it. */
  readonly roles?: readonly ClaimedRole[];
}

/** A page of the feed: `since` is exclusive; `next` is the last entry's seq, or `since` where there is none. */
export interface ChangesPage {
  readonly storeEpoch: string;
  readonly entries: readonly ChangeEntry[];
  readonly next: number;
}

/** A number, or the digits of one as they stand in an address; no other text, list or flag counts as a number. */
const wholeNumber = (schema: z.ZodNumber) =>
  z.preprocess((value) => (typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value), schema);

/** What `changes` takes (protocol, Edge socket 8). */
export const changesParamsSchema = z.object({
  since: wholeNumber(z.int().min(0)).default(0),
  limit: wholeNumber(z.int().min(1).max(LIMITS.changesMax)).default(LIMITS.changesMax),
});

/** The same at the cloud; a bridge whose credential serves several boxes names the one that it reads for. */
export const cloudChangesParamsSchema = changesParamsSchema.extend({ node: idSchema.optional() });
