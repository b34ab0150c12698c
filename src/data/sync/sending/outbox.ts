import type { WireError } from '../../../domain/errors';
import type { OpId } from '../../../domain/ids';
import { LIMITS } from '../../../domain/limits';
import type { OpKind } from '../../../domain/op/op';
import type { OpIndex, OpIndexEntry, StoreRef } from '../../ops/op-index';

/** Protocol, "Chain of an edit": "in the order profile, survey, image, analysis". */
const KIND_ORDER: readonly OpKind[] = ['profile', 'survey', 'image', 'analysis'];
/** What the outbox reads of the ledger. */
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
  | 'cloudReceiptFor'
  | 'clouds'
>;

/** An item that did not go: why, how often in a row, and when it is taken up again (by `Clock.elapsed`). */
export interface Delay {
  readonly problem: WireError;
  readonly rounds: number;
  readonly notBefore: number;
}

/**
 * Everything that this store, in its present life, has not receipted and that can be sent from here, in sending order. What
 * it refused is held for a person and not offered; an image whose bytes are not here is another tablet's to send.
 */
export function owedTo(opIndex: OutboxIndex, { nodeId, storeEpoch }: StoreRef): readonly OpIndexEntry[] {
  const life = `${nodeId} ${storeEpoch}`;
  const known = owedCache.get(opIndex);
  if (known?.version === opIndex.version && known.life === life) return known.owed;
  const owed = computeOwed(opIndex, { nodeId, storeEpoch });
  owedCache.set(opIndex, { version: opIndex.version, life, owed });
  return owed;
}

/** The last answer for a ledger: sender, screens and each step of thousands ask the same between two changes. */
const owedCache = new WeakMap<
  OutboxIndex,
  { readonly version: number; readonly life: string; readonly owed: readonly OpIndexEntry[] }
>();

function computeOwed(opIndex: OutboxIndex, storeRef: StoreRef): readonly OpIndexEntry[] {
  // The ledger holds its entries in the order of their arrival.
  const owed = new Map(KIND_ORDER.map((kind): [OpKind, OpIndexEntry[]] => [kind, []]));
  for (const entry of opIndex.entries.values()) {
    const { opId, kind, blob } = entry;
    if (opIndex.receiptFrom(opId, storeRef) !== undefined || opIndex.holdFrom(opId, storeRef) !== undefined) continue;
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
 * True when a store takes an image's operation whose bytes are not on this tablet: it has receipted them, or, a box, has a record
 * of them or takes the cloud's word.
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

/** What the next free hand of the sender does. */
export type NextStep =
  | { readonly kind: 'send'; readonly entry: OpIndexEntry }
  /** Nothing now; `until` is when the first delayed item is due, where there is one. */
  | { readonly kind: 'wait'; readonly until: number | null };

/** What decides the next step. Pure: the same facts give the same step. */
export interface OutboxState {
  readonly opIndex: OutboxIndex;
  readonly storeRef: StoreRef;
  readonly inFlight: ReadonlySet<OpId>;
  readonly delays: ReadonlyMap<OpId, Delay>;
  /** While the box has no room, photographs wait until then (by `Clock.elapsed`); documents still get in. */
  readonly imagesNotBefore: number;
  /** `Clock.elapsed`. */
  readonly now: number;
  /** Records of one kind that may be on their way together; 1 by default. Photographs with their bytes are two at a time. */
  readonly recordsAtOnce?: number;
}

/**
 * Picks the next item: kinds in order, each document's operations one after another, an image only once the box has
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
  const busyDocuments = new Set(sending.map(documentOf));
  let until: number | null = null;
  const later = (at: number): void => {
    until = until === null ? at : Math.min(until, at);
  };

  const carriesBytes = ({ kind, docId, blob }: OpIndexEntry): boolean =>
    kind === 'image' &&
    (blob === undefined || (opIndex.hasBytes(blob.sha256) && !opIndex.isBlobReceipted(docId, blob.sha256, storeRef)));
  for (const kind of KIND_ORDER) {
    const ofThisKind = sending.filter((entry) => entry.kind === kind);
    const carrying = ofThisKind.filter(carriesBytes).length;
    const onTheirWay = ofThisKind.length;
    for (const entry of owed) {
      if (entry.kind !== kind || inFlight.has(entry.opId)) continue;
      if (busyDocuments.has(documentOf(entry))) continue;
      const due = Math.max(delays.get(entry.opId)?.notBefore ?? 0, kind === 'image' ? imagesNotBefore : 0);
      if (due > now) {
        later(due);
        // Its later operations replace it; they do not go ahead.
        busyDocuments.add(documentOf(entry));
        continue;
      }
      if (kind === 'image' && !isSurveyReceipted(opIndex, storeRef, entry)) continue;
      const most = kind === 'image' ? Math.max(recordsAtOnce, LIMITS.imagesAtATime) : recordsAtOnce;
      if (onTheirWay < most && !(carriesBytes(entry) && carrying >= LIMITS.imagesAtATime))
        return { kind: 'send', entry };
      break;
    }
    // A later kind begins when nothing of this one is on its way.
    if (onTheirWay > 0) break;
  }
  return { kind: 'wait', until };
}

/** A survey of which nothing is known here may be known to the box: it is asked. */
function isSurveyReceipted(opIndex: OutboxIndex, storeRef: StoreRef, { surveyId }: OpIndexEntry): boolean {
  if (surveyId === undefined) return true;
  const survey = opIndex.entriesOf('survey', surveyId);
  return survey.length === 0 || survey.some(({ opId }) => opIndex.receiptFrom(opId, storeRef)?.accepted === true);
}

function documentOf({ kind, docId }: OpIndexEntry): string {
  return `${kind}/${docId}`;
}
