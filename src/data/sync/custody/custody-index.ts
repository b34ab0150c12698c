import { fold } from '../../../domain/fold/fold';
import type { WireError } from '../../../domain/errors';
import type { ImageId, OpId, SurveyId } from '../../../domain/ids';
import type { Receipt } from '../../../protocol/receipt';
import type { OpIndex, OpIndexChange, OpIndexEntry } from '../../ops/op-index';
import type { OpsStore } from '../../ops/ops-store';
import { effectiveOps } from '../../ops/effective-ops';
import { Emitter } from '../../../base/emitter';
import { RefCount } from '../../../base/ref-count';
import { bytesReceipts, edgeName, proofsOf, quarantineReason, validReceipts } from './custody';

/** Delay before a notification, ms: a receipt arrives every few ms while small photographs are sent. */
const NOTIFY_DELAY_MS = 120;

/** Custody of one photograph by the valid receipts. Excludes what the sender is doing now. */
export interface PhotographCustody {
  readonly id: ImageId;
  readonly surveyId: SurveyId;
  readonly sha256: string;
  readonly bytes: number;
  /** True if added on this tablet, from a card or camera that it read. */
  readonly isOwn: boolean;
  /** True if a person removed it; its bytes stay, and it is still sent. */
  readonly isRemoved: boolean;
  readonly isLocal: boolean;
  /** True if its bytes were freed here after the cloud's confirmation. */
  readonly wasFreed: boolean;
  /** Operation whose receipt covers the bytes, or that must be sent for them. */
  readonly opId: OpId;
  /** Accepted receipt of a box, of its current epoch, for a record that references these bytes. */
  readonly edgeReceipt: Receipt | undefined;
  readonly cloudReceipt: Receipt | undefined;
  /** Name of a box that had receipted its bytes and lost them; null if none, or if a box or the cloud has them. */
  readonly lostBy: string | null;
  /** Reason for which a person has to look. */
  readonly held: WireError | undefined;
  /** True if this tablet's copy is missing or damaged, as found when it was to be sent. */
  readonly isDamaged: boolean;
  /** True if a later edit of its record is still owed. */
  readonly isEditOwed: boolean;
}

/** Counts of a survey's photographs, without removed ones. */
export interface SurveyTally {
  readonly total: number;
  readonly tablet: number;
  readonly box: number;
  readonly shore: number;
  /** In at least two places. */
  readonly twice: number;
  /** On this tablet and nowhere else. */
  readonly alone: number;
  readonly held: number;
  /** Receipted, with a later edit of the record that is still to send. */
  readonly editsOwed: number;
  /** Known, but neither here nor receipted by a current store: the tablet that took them has them. */
  readonly elsewhere: number;
  /** Lost by the box that had receipted them, and not ashore; `missing`: those of them that are not here either. */
  readonly lostByBox: number;
  readonly missing: number;
  /** The copy here is missing or damaged and there is no valid receipt. */
  readonly lost: number;
  readonly aloneBytes: number;
}

/**
 * Counts photographs per survey from the operation index without reading a document, so that ten thousand cost as
 * little as five. Follows the index while retained.
 */
export class CustodyIndex {
  readonly changed = new Emitter<void>();
  readonly #custodyById = new Map<string, PhotographCustody>();
  readonly #bySurvey = new Map<string, Map<string, PhotographCustody>>();
  readonly #tallies = new Map<string, SurveyTally>();
  readonly #removedById = new Map<string, boolean>();
  #cancelTimer: (() => void) | undefined;

  readonly #store: OpsStore;
  readonly #opIndex: OpIndex;

  constructor(store: OpsStore, opIndex: OpIndex) {
    this.#store = store;
    this.#opIndex = opIndex;
  }

  /** Keeps the index up to date until the returned function is called. */
  readonly retain = new RefCount(() => {
    const stop = this.#opIndex.onChange((change) => this.#follow(change));
    this.#follow({ kind: 'everything' });
    return () => {
      stop();
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
    };
  }).retain;

  get surveyIds(): readonly SurveyId[] {
    return [...this.#bySurvey.keys()] as SurveyId[];
  }

  tally(surveyId: string): SurveyTally {
    const known = this.#tallies.get(surveyId);
    if (known !== undefined) return known;
    const fresh = tallyOf(this.#bySurvey.get(surveyId)?.values() ?? []);
    this.#tallies.set(surveyId, fresh);
    return fresh;
  }

  /** Photographs in the order this tablet learned of them, removed ones included. */
  photographs(surveyId: string): readonly PhotographCustody[] {
    return [...(this.#bySurvey.get(surveyId)?.values() ?? [])];
  }

  photograph(id: string): PhotographCustody | undefined {
    return this.#custodyById.get(id);
  }

  #follow(change: OpIndexChange): void {
    const unsure = new Set<string>();
    if (change.kind === 'everything') {
      this.#custodyById.clear();
      this.#bySurvey.clear();
      this.#tallies.clear();
      for (const entry of this.#opIndex.entries.values())
        if (entry.kind === 'image' && !this.#custodyById.has(entry.docId)) this.#update(entry.docId, unsure);
    } else {
      for (const key of change.keys) if (key.startsWith('image/')) this.#update(key.slice('image/'.length), unsure);
    }
    if (unsure.size > 0)
      this.#foldDeleted([...unsure]).catch((error: unknown) =>
        this.#store.host.log.note('error', 'Removed photographs could not be counted.', { error: String(error) }),
      );
    this.#scheduleNotify();
  }

  #update(docId: string, unsure: Set<string>): void {
    const entries = this.#opIndex.entriesOf('image', docId);
    if (entries.some(({ deletes }) => deletes)) unsure.add(docId);
    const before = this.#custodyById.get(docId);
    const next = custodyOfPhotograph(
      this.#opIndex,
      docId,
      entries,
      this.#removedById.get(docId) ?? entries.at(-1)?.deletes === true,
    );
    if (before !== undefined && before.surveyId !== next?.surveyId) {
      this.#bySurvey.get(before.surveyId)?.delete(docId);
      this.#tallies.delete(before.surveyId);
    }
    if (next === undefined) {
      this.#custodyById.delete(docId);
      return;
    }
    this.#custodyById.set(docId, next);
    const siblings = this.#bySurvey.get(next.surveyId) ?? new Map<string, PhotographCustody>();
    siblings.set(docId, next);
    this.#bySurvey.set(next.surveyId, siblings);
    this.#tallies.delete(next.surveyId);
  }

  /** Folds deleted photographs: an edit that the delete did not see keeps a photograph. */
  async #foldDeleted(docIds: readonly string[]): Promise<void> {
    const rows = await effectiveOps(
      this.#store,
      docIds.map((docId) => ['image', docId] as const),
    );
    for (const docId of docIds) {
      const ops = rows.flatMap((row) => (row.docId === docId ? [row.op] : []));
      this.#removedById.set(docId, ops.length > 0 && fold(ops).deleted);
      this.#update(docId, new Set());
    }
    this.#scheduleNotify();
  }

  #scheduleNotify(): void {
    this.#cancelTimer ??= this.#store.host.timers.after(NOTIFY_DELAY_MS, () => {
      this.#cancelTimer = undefined;
      this.changed.emit();
    });
  }
}

function custodyOfPhotograph(
  opIndex: OpIndex,
  docId: string,
  entries: readonly OpIndexEntry[],
  isRemoved: boolean,
): PhotographCustody | undefined {
  // Edits repeat the hash of the bytes; the first operation with it is the one sent with them.
  const first = entries.find(({ blob }) => blob !== undefined);
  if (first?.blob === undefined || first.surveyId === undefined) return undefined;
  const { ashore: cloudReceipt, aboard } = bytesReceipts(opIndex, entries);
  const edgeReceipt = aboard?.receipt;
  let held: WireError | undefined;
  let lostReceipt: Receipt | undefined;
  let owed = 0;
  for (const entry of entries) {
    const valid = validReceipts(opIndex, entry.opId);
    const accepted = valid.filter((receipt) => receipt.accepted);
    if (accepted.length === 0) owed += 1;
    const refused = valid.find((receipt) => !receipt.accepted);
    const hold = opIndex
      .holds(entry.opId)
      .find(({ nodeId, storeEpoch }) =>
        opIndex.epochs.some((life) => life.nodeId === nodeId && life.storeEpoch === storeEpoch),
      );
    const proofs = proofsOf(opIndex, entry.opId);
    if (proofs.length === 0) held ??= refused === undefined ? hold?.error : quarantineReason(refused);
    lostReceipt ??= accepted.find((receipt) => !proofs.includes(receipt));
  }
  return {
    id: docId as ImageId,
    surveyId: first.surveyId as SurveyId,
    sha256: first.blob.sha256,
    bytes: first.blob.bytes,
    isOwn: first.own,
    isRemoved,
    isLocal: opIndex.hasBytes(first.blob.sha256),
    wasFreed: !opIndex.hasBytes(first.blob.sha256) && opIndex.wasFreed(first.blob.sha256),
    opId: (aboard?.entry ?? first).opId,
    edgeReceipt,
    cloudReceipt,
    lostBy:
      lostReceipt === undefined || edgeReceipt !== undefined || cloudReceipt !== undefined
        ? null
        : (edgeName(opIndex, lostReceipt) ?? lostReceipt.nodeId),
    held,
    isDamaged: held !== undefined && (held['field'] === 'storage' || held['field'] === 'bytes'),
    isEditOwed: (edgeReceipt !== undefined || cloudReceipt !== undefined) && owed > 0,
  };
}

function tallyOf(photographs: Iterable<PhotographCustody>): SurveyTally {
  const sum = {
    total: 0,
    tablet: 0,
    box: 0,
    shore: 0,
    twice: 0,
    alone: 0,
    held: 0,
    editsOwed: 0,
    elsewhere: 0,
    lostByBox: 0,
    missing: 0,
    lost: 0,
    aloneBytes: 0,
  };
  for (const photograph of photographs) {
    const { isRemoved, isLocal, wasFreed, isDamaged, edgeReceipt, cloudReceipt, lostBy, held, bytes, isEditOwed } =
      photograph;
    if (isRemoved) continue;
    const tablet = isLocal && !isDamaged;
    const places = Number(tablet) + Number(edgeReceipt !== undefined) + Number(cloudReceipt !== undefined);
    sum.total += 1;
    sum.tablet += Number(tablet);
    sum.box += Number(edgeReceipt !== undefined);
    sum.shore += Number(cloudReceipt !== undefined);
    sum.twice += Number(places >= 2);
    sum.held += Number(held !== undefined);
    sum.editsOwed += Number(isEditOwed);
    sum.lostByBox += Number(lostBy !== null);
    if (tablet && places === 1) {
      sum.alone += 1;
      sum.aloneBytes += bytes;
    }
    if (places > 0) continue;
    // Freed on the receipt of a store epoch that no longer exists: no one here knows who has it.
    if (isDamaged || isLocal || wasFreed) sum.lost += 1;
    else if (lostBy !== null) sum.missing += 1;
    else sum.elsewhere += 1;
  }
  return sum;
}
