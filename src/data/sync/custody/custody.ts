import type { WireError } from '../../../domain/errors';
import type { OpId } from '../../../domain/ids';
import type { OpKind } from '../../../domain/op/op';
import type { Receipt } from '../../../protocol/receipt';
import type { OpIndex, OpIndexEntry } from '../../ops/op-index';
import type { Delay } from '../sending/outbox';
import type { SenderFacts } from '../sending/sender-report';

/**
 * Who holds a record safely (protocol, "Custody (Tablet, Box, Shore, Held for a person) is computed, never stored"):
 * computed from operations, receipts and what the sender is doing now.
 */
export type Custody =
  /** Saved on this tablet alone. `problem` says why the last try did not succeed; it is tried again by itself. */
  | { readonly status: 'tablet'; readonly problem?: WireError }
  /** Being sent now: bytes that the box (or the shore, where it says so) has on its disk, of all. `fraction` 0..1. */
  | {
      readonly status: 'on-its-way';
      readonly sent: number;
      readonly bytes: number;
      readonly fraction: number;
      readonly to?: 'shore';
    }
  /** The box aboard has all of it and signed for it. */
  | { readonly status: 'box'; readonly node: string; readonly storedAt: string }
  /** The cloud has all of it and signed for it. `aboard`: a box that stands has it too. */
  | { readonly status: 'shore'; readonly node: string; readonly storedAt: string; readonly aboard: boolean }
  /** A person has to look: the box refused it, or what lies here is damaged. Nothing was deleted. */
  | { readonly status: 'held'; readonly reason: WireError };

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
export function custodyOf(opIndex: OpIndex, sending: SendingNow, kind: OpKind, docId: string): Custody {
  let least: Custody | undefined;
  for (const entry of opIndex.entriesOf(kind, docId)) {
    const custody = custodyOfOp(opIndex, sending, entry);
    if (least === undefined || RANK[custody.status] < RANK[least.status]) least = custody;
    else if (custody.status === 'shore' && least.status === 'shore' && !custody.aboard) least = custody;
  }
  return least ?? { status: 'tablet' };
}

function custodyOfOp(opIndex: OpIndex, sending: SendingNow, { opId }: OpIndexEntry): Custody {
  const { epochs } = opIndex;
  const valid = validReceipts(opIndex, opId);
  const ashore = valid.find(({ stage, accepted }) => stage === 'cloud' && accepted);
  if (ashore !== undefined)
    return {
      status: 'shore',
      node: ashore.nodeId,
      storedAt: ashore.storedAt,
      aboard: valid.some(({ stage, accepted }) => stage !== 'cloud' && accepted),
    };
  const refused = valid.find(({ accepted }) => !accepted);
  if (refused !== undefined) return { status: 'held', reason: quarantineReason(refused) };
  const aboard = valid.find(({ accepted }) => accepted);
  if (aboard !== undefined)
    return {
      status: 'box',
      node: opIndex.edges.find(({ nodeId }) => nodeId === aboard.nodeId)?.name ?? aboard.nodeId,
      storedAt: aboard.storedAt,
    };
  const held = opIndex.holds(opId).find(({ nodeId, storeEpoch }) => isCurrentEpoch(epochs, nodeId, storeEpoch));
  if (held !== undefined) return { status: 'held', reason: held.error };
  const inFlight = sending.facts.inFlight.find((item) => item.opId === opId);
  if (inFlight !== undefined && inFlight.bytes > 0)
    return {
      status: 'on-its-way',
      sent: inFlight.sent,
      bytes: inFlight.bytes,
      fraction: inFlight.sent / inFlight.bytes,
      ...(sending.to === 'shore' ? { to: 'shore' } : {}),
    };
  const problem: WireError | undefined = sending.delays.get(opId)?.problem;
  return { status: 'tablet', ...(problem === undefined ? {} : { problem }) };
}

/** The receipts that count: those of boxes and of the cloud in their present life. */
export function validReceipts(opIndex: OpIndex, opId: OpId): readonly Receipt[] {
  return opIndex.receipts(opId).filter(({ nodeId, storeEpoch }) => isCurrentEpoch(opIndex.epochs, nodeId, storeEpoch));
}

/** What a person is told of an operation that a node keeps in quarantine. */
export function quarantineReason({ reason }: Receipt): WireError {
  return { code: 'bad-message', message: reason ?? 'It is kept apart for a person to look at.', retryable: false };
}

/** A store that is not known (any more) keeps what it holds: its last receipts count as long as nothing says that it began anew. */
function isCurrentEpoch(epochs: OpIndex['epochs'], nodeId: string, storeEpoch: string): boolean {
  const known = epochs.find((other) => other.nodeId === nodeId);
  return known === undefined || known.storeEpoch === storeEpoch;
}
