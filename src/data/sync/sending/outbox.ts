import type { WireError } from '../../../domain/errors';
import type { OpId } from '../../../domain/ids';
import { LIMITS } from '../../../domain/limits';
import type { OpKind } from '../../../domain/op/op';
import { docKeyOf, OP_KINDS } from '../../../domain/op/op';
import type { StoreRef } from '../../ops/database';
import type { OpIndex, OpIndexEntry } from '../../ops/op-index';

/** Parts of the operation index that the outbox reads. */
export type OutboxIndex = Pick<
  OpIndex,
  | 'version'
  | 'entries'
  | 'entriesOf'
  | 'receiptFrom'
  | 'holdFrom'
  | 'hasBytes'
  | 'isBlobReceipted'
  | 'isBlobRecorded'
  | 'isLost'
  | 'cloudReceiptFor'
  | 'clouds'
>;

/** Unsent item: the reason, the number of failed rounds, and the time of the next try (by `Clock.elapsed`). */
export interface Delay {
  readonly problem: WireError;
  readonly rounds: number;
  readonly notBefore: number;
}

/**
 * Operations that this store, in its current epoch, has not receipted and that can be sent from here, in sending order.
 * Refused ones are on hold; an image without local bytes is another tablet's to send.
 */
export function owedTo(opIndex: OutboxIndex, { nodeId, storeEpoch }: StoreRef): readonly OpIndexEntry[] {
  const life = `${nodeId} ${storeEpoch}`;
  const known = owedCache.get(opIndex);
  if (known?.version === opIndex.version && known.life === life) return known.owed;
  const owed = computeOwed(opIndex, { nodeId, storeEpoch });
  owedCache.set(opIndex, { version: opIndex.version, life, owed });
  return owed;
}

/** Last answer per index: the sender, screens and thousands of steps ask the same between two changes. */
const owedCache = new WeakMap<
  OutboxIndex,
  { readonly version: number; readonly life: string; readonly owed: readonly OpIndexEntry[] }
>();

function computeOwed(opIndex: OutboxIndex, storeRef: StoreRef): readonly OpIndexEntry[] {
  // The index has its entries in arrival order.
  const owed = new Map(OP_KINDS.map((kind): [OpKind, OpIndexEntry[]] => [kind, []]));
  const offeredAgain = new Set<string>();
  for (const entry of opIndex.entries.values()) {
    const { opId, kind, blob } = entry;
    const receipt = opIndex.receiptFrom(opId, storeRef);
    if (receipt !== undefined) {
      // Bytes that the store lost are offered again, once a file, with the first record that names them.
      if (!receipt.accepted || blob === undefined || !opIndex.isLost(blob.sha256, storeRef)) continue;
      if (!opIndex.hasBytes(blob.sha256) || offeredAgain.has(blob.sha256)) continue;
      offeredAgain.add(blob.sha256);
    }
    if (opIndex.holdFrom(opId, storeRef) !== undefined) continue;
    if (
      kind === 'image' &&
      blob !== undefined &&
      !opIndex.hasBytes(blob.sha256) &&
      !canSendWithoutBytes(opIndex, storeRef, entry)
    )
      continue;
    owed.get(kind)?.push(entry);
  }
  return [...owed.values()].flat();
}

/**
 * True if a store accepts an image's operation without its bytes: it has receipted them, or, for a box, has a record of
 * them or accepts the cloud's receipt.
 */
export function canSendWithoutBytes(opIndex: OutboxIndex, storeRef: StoreRef, entry: OpIndexEntry): boolean {
  const { docId, blob } = entry;
  if (blob === undefined) return false;
  if (opIndex.isBlobReceipted(docId, blob.sha256, storeRef)) return true;
  const isCloud = opIndex.clouds.some(({ nodeId }) => nodeId === storeRef.nodeId);
  return (
    !isCloud && (opIndex.isBlobRecorded(docId, blob.sha256, storeRef) || opIndex.cloudReceiptFor(entry) !== undefined)
  );
}

/** Amount of owed work: photographs whose bytes are still to send, each once, and all other operations as records. */
interface OwedAmount {
  readonly records: number;
  readonly photographs: number;
  /** Bytes of the photographs that have not arrived. */
  readonly bytes: number;
}

/** @param storeRef target; undefined before any pairing */
export function owedAmount(
  opIndex: OutboxIndex,
  owed: readonly OpIndexEntry[],
  storeRef: StoreRef | undefined,
  inFlight: readonly { readonly opId: OpId; readonly sent: number }[],
): OwedAmount {
  const sent = new Map(inFlight.map((item) => [item.opId, item.sent]));
  const documents = new Set<string>();
  let [photographs, bytes] = [0, 0];
  for (const { opId, kind, docId, blob } of owed) {
    if (kind !== 'image' || blob === undefined || documents.has(docId) || !opIndex.hasBytes(blob.sha256)) continue;
    if (storeRef !== undefined && opIndex.isBlobReceipted(docId, blob.sha256, storeRef)) continue;
    documents.add(docId);
    photographs += 1;
    bytes += Math.max(0, blob.bytes - (sent.get(opId) ?? 0));
  }
  return { records: owed.length - photographs, photographs, bytes };
}

/** Next action of a free sender slot. */
type NextStep =
  | { readonly kind: 'send'; readonly entry: OpIndexEntry }
  /** Nothing now; `until` is the time of the first delayed item, if any. */
  | { readonly kind: 'wait'; readonly until: number | null };

/** Inputs of the next step. Pure: the same state yields the same step. */
interface OutboxState {
  readonly opIndex: OutboxIndex;
  readonly storeRef: StoreRef;
  readonly inFlight: ReadonlySet<OpId>;
  readonly delays: ReadonlyMap<OpId, Delay>;
  /** While the box has no space, photographs wait until then (by `Clock.elapsed`); documents are still sent. */
  readonly imagesNotBefore: number;
  /** `Clock.elapsed`. */
  readonly now: number;
  /** Maximum records of one kind in flight; 1 by default. Photographs with bytes are limited to two. */
  readonly recordsAtOnce?: number;
}

/**
 * Picks the next item: kinds in order, a document's operations one after another, an image only once the box has
 * receipted its survey.
 */
export function nextStep({
  opIndex,
  storeRef,
  inFlight,
  delays,
  imagesNotBefore,
  now,
  recordsAtOnce = 1,
}: OutboxState): NextStep {
  const sending = [...inFlight].flatMap((opId) => opIndex.entries.get(opId) ?? []);
  const owed = owedTo(opIndex, storeRef);
  const busyDocuments = new Set(sending.map(({ kind, docId }) => docKeyOf(kind, docId)));
  let until: number | null = null;
  const later = (at: number): void => {
    until = until === null ? at : Math.min(until, at);
  };

  const carriesBytes = ({ kind, docId, blob }: OpIndexEntry): boolean =>
    kind === 'image' &&
    (blob === undefined || (opIndex.hasBytes(blob.sha256) && !opIndex.isBlobReceipted(docId, blob.sha256, storeRef)));
  for (const kind of OP_KINDS) {
    const ofThisKind = sending.filter((entry) => entry.kind === kind);
    const carrying = ofThisKind.filter(carriesBytes).length;
    const onTheirWay = ofThisKind.length;
    for (const entry of owed) {
      if (entry.kind !== kind || inFlight.has(entry.opId)) continue;
      if (busyDocuments.has(docKeyOf(entry.kind, entry.docId))) continue;
      const due = Math.max(delays.get(entry.opId)?.notBefore ?? 0, kind === 'image' ? imagesNotBefore : 0);
      if (due > now) {
        later(due);
        // Its later operations replace it and must not be sent first.
        busyDocuments.add(docKeyOf(entry.kind, entry.docId));
        continue;
      }
      if (kind === 'image' && !isSurveyReceipted(opIndex, storeRef, entry)) continue;
      const most = kind === 'image' ? Math.max(recordsAtOnce, LIMITS.imagesAtATime) : recordsAtOnce;
      if (onTheirWay < most && !(carriesBytes(entry) && carrying >= LIMITS.imagesAtATime))
        return { kind: 'send', entry };
      break;
    }
    // A later kind starts when nothing of this one is in flight.
    if (onTheirWay > 0) break;
  }
  return { kind: 'wait', until };
}

/** A survey unknown here may be known to the box, so it is tried. */
function isSurveyReceipted(opIndex: OutboxIndex, storeRef: StoreRef, { surveyId }: OpIndexEntry): boolean {
  if (surveyId === undefined) return true;
  const survey = opIndex.entriesOf('survey', surveyId);
  return survey.length === 0 || survey.some(({ opId }) => opIndex.receiptFrom(opId, storeRef)?.accepted === true);
}
