import { ReefError } from '../../../src/domain/errors';
import type { Op } from '../../../src/domain/op/op';
import type { Receipt } from '../../../src/protocol/receipt';
import type { AppendFacts } from '../../../src/server/ops/append-store';
import type { SubmitterIds } from '../access/grants';

export interface AppendJob {
  readonly op: Op;
  readonly text: string;
  readonly facts: AppendFacts;
}

/** Result of one job: a receipt, or the reason why nothing was stored. */
export type AppendResult = { readonly receipt: Receipt } | { readonly error: ReefError };

export function opIdMismatchError(): ReefError {
  return new ReefError('receipt-mismatch', {
    field: 'op.opId',
    message: 'A different operation already has this opId. Nothing was changed.',
  });
}

export function submitterOf(facts: AppendFacts): SubmitterIds {
  return { device: facts.brought?.device ?? null, node: facts.brought?.node ?? null };
}

export function authorOf({ op, facts }: AppendJob): string | null {
  return op.by ?? facts.by;
}
