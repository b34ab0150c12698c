import type { WireError } from '../../domain/errors';
import type { OpId } from '../../domain/ids';
import type { OpKind } from '../../domain/op/op';
import type { Receipt } from '../../protocol/receipt';
import type { Ledger, LedgerEntry } from '../ops/ledger';
import type { Delay } from './outbox';
import type { SenderFacts } from './sender-report';

/**
 * Who holds a record safely (protocol, "Custody (Tablet, Box, Shore, Held for a person) is computed, never stored"):
 * computed from operations, receipts and what the sender is doing now.
 */
export type Custody =
  /** Saved on this tablet alone. `problem` says why the last try did not succeed; it is tried again by itself. */
  | { readonly at: 'tablet'; readonly problem?: WireError }
  /** Being sent now: bytes that the box (or the shore, where it says so) has on its disk, of all. `fraction` 0..1. */
  | {
      readonly at: 'on-its-way';
      readonly sent: number;
      readonly bytes: number;
      readonly fraction: number;
      readonly to?: 'shore';
    }
  /** The box aboard has all of it and signed for it. */
  | { readonly at: 'box'; readonly node: string; readonly storedAt: string }
  /** The cloud has all of it and signed for it. `aboard`: a box that stands has it too. */
  | { readonly at: 'shore'; readonly node: string; readonly storedAt: string; readonly aboard: boolean }
  /** A person has to look: the box refused it, or what lies here is damaged. Nothing was deleted. */
  | { readonly at: 'held'; readonly reason: WireError };

/** What custody is computed from, besides the ledger. */
export interface SendingNow {
  readonly facts: SenderFacts;
  readonly delays: ReadonlyMap<string, Delay>;
  /** Where it goes; the box unless told. */
  readonly to?: 'box' | 'shore';
}

const RANK = { held: 0, tablet: 1, 'on-its-way': 2, box: 3, shore: 4 } as const;

/**
 * Who holds a document: the least of what holds each of its operations, so that an edit that has not gone yet shows
 * (protocol: "Custody … is computed, never stored").
 */
export function custodyOf(ledger: Ledger, sending: SendingNow, kind: OpKind, docId: string): Custody {
  let least: Custody | undefined;
  for (const entry of ledger.document(kind, docId)) {
    const custody = custodyOfOp(ledger, sending, entry);
    if (least === undefined || RANK[custody.at] < RANK[least.at]) least = custody;
    else if (custody.at === 'shore' && least.at === 'shore' && !custody.aboard) least = custody;
  }
  return least ?? { at: 'tablet' };
}

function custodyOfOp(ledger: Ledger, sending: SendingNow, { opId }: LedgerEntry): Custody {
  const { lives } = ledger;
  const valid = validReceipts(ledger, opId);
  const ashore = valid.find(({ stage, accepted }) => stage === 'cloud' && accepted);
  if (ashore !== undefined)
    return {
      at: 'shore',
      node: ashore.nodeId,
      storedAt: ashore.storedAt,
      aboard: valid.some(({ stage, accepted }) => stage !== 'cloud' && accepted),
    };
  const refused = valid.find(({ accepted }) => !accepted);
  if (refused !== undefined) return { at: 'held', reason: quarantineReason(refused) };
  const aboard = valid.find(({ accepted }) => accepted);
  if (aboard !== undefined)
    return {
      at: 'box',
      node: ledger.edges.find(({ nodeId }) => nodeId === aboard.nodeId)?.name ?? aboard.nodeId,
      storedAt: aboard.storedAt,
    };
  const held = ledger.holds(opId).find(({ nodeId, storeEpoch }) => isPresentLife(lives, nodeId, storeEpoch));
  if (held !== undefined) return { at: 'held', reason: held.error };
  const going = sending.facts.inFlight.find((item) => item.opId === opId);
  if (going !== undefined && going.bytes > 0)
    return {
      at: 'on-its-way',
      sent: going.sent,
      bytes: going.bytes,
      fraction: going.sent / going.bytes,
      ...(sending.to === 'shore' ? { to: 'shore' } : {}),
    };
  const problem: WireError | undefined = sending.delays.get(opId)?.problem;
  return { at: 'tablet', ...(problem === undefined ? {} : { problem }) };
}

/** The receipts that count: those of boxes and of the cloud in their present life. */
export function validReceipts(ledger: Ledger, opId: OpId): readonly Receipt[] {
  return ledger.receipts(opId).filter(({ nodeId, storeEpoch }) => isPresentLife(ledger.lives, nodeId, storeEpoch));
}

/** What a person is told of an operation that a node keeps in quarantine. */
export function quarantineReason({ reason }: Receipt): WireError {
  return { code: 'bad-message', message: reason ?? 'It is kept apart for a person to look at.', retryable: false };
}

/** A store that is not known (any more) keeps what it holds: its last receipts count as long as nothing says that it began anew. */
function isPresentLife(lives: Ledger['lives'], nodeId: string, storeEpoch: string): boolean {
  const known = lives.find((other) => other.nodeId === nodeId);
  return known === undefined || known.storeEpoch === storeEpoch;
}
