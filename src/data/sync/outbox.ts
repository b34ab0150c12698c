import type { WireError } from '../../domain/errors';
import type { OpId } from '../../domain/ids';
import { LIMITS } from '../../domain/limits';
import type { OpKind } from '../../domain/op/op';
import type { Ledger, LedgerEntry, StoreLife } from '../ops/ledger';

/** Protocol, "Chain of an edit": "in the order profile, survey, image, analysis". */
const ORDER: readonly OpKind[] = ['profile', 'survey', 'image', 'analysis'];
/** What the outbox reads of the ledger. */
export type OutboxLedger = Pick<
  Ledger,
  | 'version'
  | 'entries'
  | 'document'
  | 'receiptFrom'
  | 'holdFrom'
  | 'hasBytes'
  | 'blobReceipted'
  | 'blobRecorded'
  | 'vouching'
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
export function owedTo(ledger: OutboxLedger, { nodeId, storeEpoch }: StoreLife): readonly LedgerEntry[] {
  const life = `${nodeId} ${storeEpoch}`;
  const known = answers.get(ledger);
  if (known?.version === ledger.version && known.life === life) return known.owed;
  const owed = lookUp(ledger, { nodeId, storeEpoch });
  answers.set(ledger, { version: ledger.version, life, owed });
  return owed;
}

/** The last answer for a ledger: sender, screens and each step of thousands ask the same between two changes. */
const answers = new WeakMap<
  OutboxLedger,
  { readonly version: number; readonly life: string; readonly owed: readonly LedgerEntry[] }
>();

function lookUp(ledger: OutboxLedger, life: StoreLife): readonly LedgerEntry[] {
  // The ledger holds its entries in the order of their arrival.
  const owed = new Map(ORDER.map((kind): [OpKind, LedgerEntry[]] => [kind, []]));
  for (const entry of ledger.entries.values()) {
    const { opId, kind, blob } = entry;
    if (ledger.receiptFrom(opId, life) !== undefined || ledger.holdFrom(opId, life) !== undefined) continue;
    if (
      kind === 'image' &&
      blob !== undefined &&
      !ledger.hasBytes(blob.sha256) &&
      !goesWithoutBytes(ledger, life, entry)
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
export function goesWithoutBytes(ledger: OutboxLedger, life: StoreLife, entry: LedgerEntry): boolean {
  const { docId, blob } = entry;
  if (blob === undefined) return false;
  if (ledger.blobReceipted(docId, blob.sha256, life)) return true;
  const isCloud = ledger.clouds.some(({ nodeId }) => nodeId === life.nodeId);
  return !isCloud && (ledger.blobRecorded(docId, blob.sha256, life) || ledger.vouching(entry) !== undefined);
}

/** What the next free hand of the sender does. */
export type NextStep =
  | { readonly do: 'send'; readonly entry: LedgerEntry }
  /** Nothing now; `until` is when the first delayed item is due, where there is one. */
  | { readonly do: 'wait'; readonly until: number | null };

/** What decides the next step. Pure: the same facts give the same step. */
export interface Situation {
  readonly ledger: OutboxLedger;
  readonly life: StoreLife;
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
  ledger,
  life,
  inFlight,
  delays,
  imagesNotBefore,
  now,
  recordsAtOnce = 1,
}: Situation): NextStep {
  const sending = [...inFlight].flatMap((opId) => ledger.entries.get(opId) ?? []);
  const owed = owedTo(ledger, life);
  const busyDocuments = new Set(sending.map(documentOf));
  let until: number | null = null;
  const later = (at: number): void => {
    until = until === null ? at : Math.min(until, at);
  };

  const hasToCarry = ({ kind, docId, blob }: LedgerEntry): boolean =>
    kind === 'image' &&
    (blob === undefined || (ledger.hasBytes(blob.sha256) && !ledger.blobReceipted(docId, blob.sha256, life)));
  for (const kind of ORDER) {
    const ofThisKind = sending.filter((entry) => entry.kind === kind);
    const carrying = ofThisKind.filter(hasToCarry).length;
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
      if (kind === 'image' && !surveyReceipted(ledger, life, entry)) continue;
      const most = kind === 'image' ? Math.max(recordsAtOnce, LIMITS.imagesAtATime) : recordsAtOnce;
      if (onTheirWay < most && !(hasToCarry(entry) && carrying >= LIMITS.imagesAtATime)) return { do: 'send', entry };
      break;
    }
    // A later kind begins when nothing of this one is on its way.
    if (onTheirWay > 0) break;
  }
  return { do: 'wait', until };
}

/** A survey of which nothing is known here may be known to the box: it is asked. */
function surveyReceipted(ledger: OutboxLedger, life: StoreLife, { surveyId }: LedgerEntry): boolean {
  if (surveyId === undefined) return true;
  const survey = ledger.document('survey', surveyId);
  return survey.length === 0 || survey.some(({ opId }) => ledger.receiptFrom(opId, life)?.accepted === true);
}

function documentOf({ kind, docId }: LedgerEntry): string {
  return `${kind}/${docId}`;
}
