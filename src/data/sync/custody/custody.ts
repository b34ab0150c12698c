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
  /**
   * Saved on this tablet only. `problem`: why the last try failed; it is retried automatically. `lostBy`: name of the
   * box that had the bytes and lost them.
   */
  | { readonly status: 'tablet'; readonly problem?: WireError; readonly lostBy?: string }
  /** Being sent: bytes that are on the disk of the box (or of the shore, per `to`), of the total. `fraction` 0..1. */
  | {
      readonly status: 'on-its-way';
      readonly sent: number;
      readonly bytes: number;
      readonly fraction: number;
      readonly to?: 'shore';
    }
  /** The box has all of it and signed for it. */
  | { readonly status: 'box'; readonly node: string; readonly storedAt: string; readonly edit?: EditCustody }
  /** The cloud has all of it and signed for it. `aboard`: a current box has it too. */
  | {
      readonly status: 'shore';
      readonly node: string;
      readonly storedAt: string;
      readonly aboard: boolean;
      readonly edit?: EditCustody;
    }
  /** On hold: the box refused it, or the local copy is damaged. Nothing was deleted. */
  | { readonly status: 'held'; readonly reason: WireError };

/** Later edit of a photograph's record that is not yet where its bytes are. */
type EditCustody =
  | { readonly status: 'unsent' }
  /** On the box; the bytes are ashore. */
  | { readonly status: 'box' }
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
 * computed, never stored"). That of a photograph follows its bytes; an unsent edit is told beside it.
 */
export function custodyOf(opIndex: OpIndex, sending: SendingNow, kind: OpKind, docId: string): Custody {
  let least: Custody | undefined;
  const entries = opIndex.entriesOf(kind, docId);
  const bytesAshore = entries.some(({ opId }) =>
    validReceipts(opIndex, opId).some(({ stage, blob }) => stage === 'cloud' && blob !== undefined),
  );
  for (const entry of entries) {
    const custody = custodyOfOp(opIndex, sending, entry, bytesAshore);
    if (least === undefined || RANK[custody.status] < RANK[least.status]) least = custody;
    else if (custody.status === 'shore' && least.status === 'shore' && !custody.aboard) least = custody;
  }
  const found = least ?? { status: 'tablet' };
  return kind === 'image' ? withBytes(found, custodyOfBytes(opIndex, entries)) : found;
}

/** Furthest store that has receipted the bytes of a photograph; undefined if none. */
function custodyOfBytes(
  opIndex: OpIndex,
  entries: readonly OpIndexEntry[],
): Extract<Custody, { readonly status: 'box' | 'shore' }> | undefined {
  const { ashore, aboard } = bytesReceipts(opIndex, entries);
  if (ashore !== undefined)
    return { status: 'shore', node: ashore.nodeId, storedAt: ashore.storedAt, aboard: aboard !== undefined };
  return aboard === undefined
    ? undefined
    : {
        status: 'box',
        node: edgeName(opIndex, aboard.receipt) ?? aboard.receipt.nodeId,
        storedAt: aboard.receipt.storedAt,
      };
}

/** Receipts for the bytes of a photograph's first record, by any of its records: edits repeat the hash. */
export function bytesReceipts(
  opIndex: OpIndex,
  entries: readonly OpIndexEntry[],
): {
  readonly ashore: Receipt | undefined;
  readonly aboard: { readonly receipt: Receipt; readonly entry: OpIndexEntry } | undefined;
} {
  const blob = entries.find((entry) => entry.blob !== undefined)?.blob;
  let ashore: Receipt | undefined;
  let aboard: { readonly receipt: Receipt; readonly entry: OpIndexEntry } | undefined;
  for (const entry of blob === undefined ? [] : entries)
    for (const receipt of proofsOf(opIndex, entry.opId)) {
      if (receipt.blob?.sha256 !== blob?.sha256 || receipt.blob?.bytes !== blob?.bytes) continue;
      if (receipt.stage === 'cloud') ashore ??= receipt;
      else aboard ??= { receipt, entry };
    }
  return { ashore, aboard };
}

function withBytes(least: Custody, bytes: ReturnType<typeof custodyOfBytes>): Custody {
  if (bytes === undefined) return least;
  switch (least.status) {
    case 'tablet':
    case 'on-its-way':
      return { ...bytes, edit: { status: 'unsent' } };
    case 'held':
      return { ...bytes, edit: { status: 'held', reason: least.reason } };
    case 'box':
      return bytes.status === 'shore' ? { ...bytes, edit: { status: 'box' } } : bytes;
    case 'shore':
      return bytes;
  }
}

function custodyOfOp(
  opIndex: OpIndex,
  sending: SendingNow,
  { opId, blob }: OpIndexEntry,
  bytesAshore: boolean,
): Custody {
  const { epochs } = opIndex;
  const valid = validReceipts(opIndex, opId);
  const isLost = (receipt: Receipt): boolean => blob !== undefined && opIndex.isLost(blob.sha256, receipt);
  const ashore = valid.find(({ stage, accepted }) => stage === 'cloud' && accepted);
  if (ashore !== undefined)
    return {
      status: 'shore',
      node: ashore.nodeId,
      storedAt: ashore.storedAt,
      aboard: valid.some((receipt) => receipt.stage !== 'cloud' && receipt.accepted && !isLost(receipt)),
    };
  const refused = valid.find(({ accepted }) => !accepted);
  if (refused !== undefined) return { status: 'held', reason: quarantineReason(refused) };
  // A record whose bytes are ashore needs no more from the box than its receipt.
  const aboard = valid.find((receipt) => receipt.accepted && (bytesAshore || !isLost(receipt)));
  if (aboard !== undefined)
    return { status: 'box', node: edgeName(opIndex, aboard) ?? aboard.nodeId, storedAt: aboard.storedAt };
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
  const lost = valid.find((receipt) => receipt.accepted && isLost(receipt));
  return {
    status: 'tablet',
    ...(problem === undefined ? {} : { problem }),
    ...(lost === undefined ? {} : { lostBy: edgeName(opIndex, lost) ?? lost.nodeId }),
  };
}

/** Name of a paired box. */
export function edgeName({ edges }: OpIndex, { nodeId }: Pick<Receipt, 'nodeId'>): string | undefined {
  return edges.find((edge) => edge.nodeId === nodeId)?.name;
}

/** Valid accepting receipts of stores that have not lost the bytes since. */
export function proofsOf(opIndex: OpIndex, opId: OpId): readonly Receipt[] {
  const sha256 = opIndex.entries.get(opId)?.blob?.sha256;
  return validReceipts(opIndex, opId).filter(
    (receipt) => receipt.accepted && (sha256 === undefined || !opIndex.isLost(sha256, receipt)),
  );
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
