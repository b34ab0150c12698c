import { z } from 'zod';
import { LIMITS } from '../domain/limits';
import type { Op } from '../domain/op/op';
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
}

/** A page of the feed: `since` is exclusive; `next` is the last entry's seq, or `since` where there is none. */
export interface ChangesPage {
  readonly storeEpoch: string;
  readonly entries: readonly ChangeEntry[];
  readonly next: number;
}

export const changesParamsSchema = z.object({
  since: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(LIMITS.changesMax).default(LIMITS.changesMax),
});
export type ChangesParams = z.infer<typeof changesParamsSchema>;
