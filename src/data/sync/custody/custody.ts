import type { WireError } from '../../../domain/errors';
import type { OpId } from '../../../domain/ids';
import type { OpKind } from '../../../domain/op/op';
import type { Receipt } from '../../../protocol/receipt';
import type { OpIndex, OpIndexEntry } from '../../ops/op-index';
import type { Delay } from '../sending/outbox';
import type { SenderFacts } from '../sending/sender-report';

/**
 * Custody of a record (protocol, "Custody (Tablet, Box, Shore, Held for a person) is computed, never stored"): computed
 * from operations, receipts and the state of the sender.
 */
export type Custody =
  /** Saved on this tablet only. `problem`: why the last try failed; it is retried automatically. */
  | { readonly status: 'tablet'; readonly problem?: WireError }
  /** Being sent: bytes that are on the disk of the box (or of the shore, per `to`), of the total. `fraction` 0..1. */
  | {
      readonly status: 'on-its-way';
      readonly sent: number;
      readonly bytes: number;
      readonly fraction: number;
      readonly to?: 'shore';
    }
  /** The box has all of it and signed for it. */
  | { readonly status: 'box'; readonly node: string; readonly storedAt: string }
  /** The cloud has all of it and signed for it. `aboard`: a current box has it too. */
  | { readonly status: 'shore'; readonly node: string; readonly storedAt: string; readonly aboard: boolean }
  /** On hold: the box refused it, or the local copy is damaged. Nothing was deleted. */
  | { readonly status: 'held'; readonly reason: WireError };

/** Inputs of custody besides the operation index. */
interface SendingNow {
  readonly facts: SenderFacts;
  readonly delays: ReadonlyMap<string, Delay>;
  /** Target; the box by default. */
  readonly to?: 'box' | 'shore';
}

const RANK = { held: 0, tablet: 1, 'on-its-way': 2, box: 3, shore: 4 } as const;

/**
 * Custody of a document: the lowest custody of its operations, so that an unsent edit shows (protocol: "Custody … is
 * computed, never stored").
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

/** Valid receipts: those of boxes and of the cloud in their current epoch. */
export function validReceipts(opIndex: OpIndex, opId: OpId): readonly Receipt[] {
  return opIndex.receipts(opId).filter(({ nodeId, storeEpoch }) => isCurrentEpoch(opIndex.epochs, nodeId, storeEpoch));
}

/** Reason for quarantine, as shown to a person. */
export function quarantineReason({ reason }: Receipt): WireError {
  return { code: 'bad-message', message: reason ?? 'It is on hold until staff review it.', retryable: false };
}

/**
 * True if this epoch is current. An unknown (forgotten) store retains its records: its last receipts are valid until it
 * is known to have a new epoch.
 */
function isCurrentEpoch(epochs: OpIndex['epochs'], nodeId: string, storeEpoch: string): boolean {
  const known = epochs.find((other) => other.nodeId === nodeId);
  return known === undefined || known.storeEpoch === storeEpoch;
}
