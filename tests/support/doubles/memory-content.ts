import type { PersonId } from '../../../src/domain/ids';
import { makeId } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import type { ClaimedRole } from '../../../src/domain/policy/claimed-roles';
import type { Receipt } from '../../../src/protocol/receipt';
import type { SubmittedBy, StoreIdentity } from '../../../src/server/ops/append-store';
import type { HeldOp } from '../../../cloud-sync/api/intake/admission';
import type { ParkedOp } from '../../../cloud-sync/api/intake/parking';

/** Operation as stored. */
export interface StoredOp {
  readonly op: Op;
  readonly text: string;
  readonly by: PersonId | null;
  readonly accepted: boolean;
  /** Original bytes, unchanged. */
  readonly receipt: string;
  readonly brought: SubmittedBy;
  /** See `AppendFacts.roles`. */
  readonly roles: readonly ClaimedRole[];
}

/** Entry of the feed. */
export interface Row {
  readonly seq: number;
  readonly receipt: string;
  readonly opId: string;
  readonly own: boolean;
  readonly topic: string | null;
  readonly profile: string | null;
  readonly brought: SubmittedBy;
  /** Subject that sees it without a grant. */
  readonly subject?: string;
  /** Subject for which it was repeated, as it may see the topic since. */
  readonly for?: string;
}

/** Content of a store, which outlives its programs. */
export class MemoryContent {
  readonly ops = new Map<string, StoredOp>();
  readonly byDocument = new Map<string, StoredOp[]>();
  readonly feed: Row[] = [];
  readonly grants = new Map<string, number>();
  readonly parked = new Map<string, ParkedOp>();
  readonly held = new Map<string, HeldOp>();
  lastSeq = 0;

  constructor(readonly identity: StoreIdentity) {}

  /** Independent copy under another epoch, as a restored backup. */
  copy(storeEpoch: string, sign: (receipt: Receipt) => Receipt): MemoryContent {
    const made = new MemoryContent({ ...this.identity, storeEpoch });
    for (const [opId, stored] of this.ops) {
      const again = {
        ...stored,
        receipt: JSON.stringify(sign({ ...(JSON.parse(stored.receipt) as Receipt), storeEpoch })),
      };
      made.ops.set(opId, again);
      push(made.byDocument, `${stored.op.kind}/${stored.op.docId}`, again);
    }
    for (const row of this.feed)
      made.feed.push(row.own ? { ...row, receipt: made.ops.get(row.opId)?.receipt ?? row.receipt } : row);
    for (const [key, seq] of this.grants) made.grants.set(key, seq);
    for (const [opId, parked] of this.parked) made.parked.set(opId, parked);
    for (const [opId, held] of this.held) made.held.set(opId, held);
    made.lastSeq = this.lastSeq;
    return made;
  }
}

/** Content of a new store with its own ids. */
export function newContent(stage: StoreIdentity['stage'], randomBytes: (n: number) => Uint8Array): MemoryContent {
  return new MemoryContent({ stage, nodeId: makeId(randomBytes), storeEpoch: makeId(randomBytes) });
}

/** Appends to the list of a key. */
export function push<Value>(index: Map<string, Value[]>, key: string, value: Value): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [value]);
  else list.push(value);
}
