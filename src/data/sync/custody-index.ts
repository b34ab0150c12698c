import { fold } from '../../domain/fold/fold';
import type { WireError } from '../../domain/errors';
import type { ImageId, OpId, SurveyId } from '../../domain/ids';
import type { Receipt } from '../../protocol/receipt';
import type { Ledger, LedgerChange, LedgerEntry } from '../ops/ledger';
import type { OpsStore } from '../ops/ops-store';
import { countingOps } from '../ops/standing';
import { Signal } from '../transport/signal';
import { quarantineReason, validReceipts } from './custody';

/** How long changes are gathered before anybody hears of them, ms: a receipt comes every few ms while small photographs go. */
const GATHER_MS = 120;

/** Where one photograph is, by the receipts that count. What the sender does now is not in it. */
export interface Standing {
  readonly id: ImageId;
  readonly surveyId: SurveyId;
  readonly sha256: string;
  readonly bytes: number;
  /** Added on this tablet, from a card or a camera that this tablet read. */
  readonly own: boolean;
  /** Removed by a person; its bytes stay, and it is sent all the same. */
  readonly removed: boolean;
  /** Its bytes lie on this tablet. */
  readonly here: boolean;
  /** Its bytes were freed here, on the cloud's word. */
  readonly freed: boolean;
  /** The operation whose receipt vouches for the bytes, or that has to go for them. */
  readonly opId: OpId;
  /** A box's accepted receipt, of its present life, for a record that names these bytes. */
  readonly box: Receipt | undefined;
  readonly shore: Receipt | undefined;
  /** A person has to look. */
  readonly held: WireError | undefined;
  /** This tablet's copy is gone or damaged: it was found out when it was to be sent. */
  readonly damaged: boolean;
  /** A later edit of its record is still owed. */
  readonly editOwed: boolean;
}

/** The photographs of one survey, counted. Removed ones count in `originals` alone. */
export interface SurveyTally {
  readonly total: number;
  readonly tablet: number;
  readonly box: number;
  readonly shore: number;
  /** In two places at least. */
  readonly twice: number;
  /** On this tablet and nowhere else. */
  readonly alone: number;
  readonly held: number;
  /** Known, but neither here nor receipted by a store that stands: the tablet that took them has them. */
  readonly elsewhere: number;
  /** The copy here is gone or damaged and no receipt stands. */
  readonly lost: number;
  /** Bytes that only this tablet has. */
  readonly aloneBytes: number;
}

/**
 * Where the photographs are, counted per survey from the ledger alone: no document of a photograph is read, so that ten
 * thousand cost what five cost. It follows the ledger while somebody listens.
 */
export class CustodyIndex {
  readonly changed = new Signal<void>();
  readonly #standings = new Map<string, Standing>();
  readonly #bySurvey = new Map<string, Map<string, Standing>>();
  readonly #tallies = new Map<string, SurveyTally>();
  readonly #removed = new Map<string, boolean>();
  #listeners = 0;
  #stop: (() => void) | undefined;
  #callOff: (() => void) | undefined;

  readonly #store: OpsStore;
  readonly #ledger: Ledger;

  constructor(store: OpsStore, ledger: Ledger) {
    this.#store = store;
    this.#ledger = ledger;
  }

  /** Keeps the index up to date until the function given back is called. */
  attend(): () => void {
    this.#listeners += 1;
    if (this.#stop === undefined) {
      this.#stop = this.#ledger.onChange((change) => this.#follow(change));
      this.#follow({ touched: 'everything' });
    }
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#listeners -= 1;
      if (this.#listeners > 0) return;
      this.#stop?.();
      this.#stop = undefined;
      this.#callOff?.();
      this.#callOff = undefined;
    };
  }

  get surveys(): readonly SurveyId[] {
    return [...this.#bySurvey.keys()] as SurveyId[];
  }

  tally(surveyId: string): SurveyTally {
    const known = this.#tallies.get(surveyId);
    if (known !== undefined) return known;
    const fresh = tallyOf(this.#bySurvey.get(surveyId)?.values() ?? []);
    this.#tallies.set(surveyId, fresh);
    return fresh;
  }

  /** In the order in which this tablet came to know them, removed ones among them. */
  photographs(surveyId: string): readonly Standing[] {
    return [...(this.#bySurvey.get(surveyId)?.values() ?? [])];
  }

  photograph(id: string): Standing | undefined {
    return this.#standings.get(id);
  }

  #follow(change: LedgerChange): void {
    const unsure = new Set<string>();
    if (change.touched === 'everything') {
      this.#standings.clear();
      this.#bySurvey.clear();
      this.#tallies.clear();
      for (const entry of this.#ledger.entries.values())
        if (entry.kind === 'image' && !this.#standings.has(entry.docId)) this.#enter(entry.docId, unsure);
    } else {
      for (const key of change.keys) if (key.startsWith('image/')) this.#enter(key.slice('image/'.length), unsure);
    }
    if (unsure.size > 0)
      this.#foldAll([...unsure]).catch((error: unknown) =>
        this.#store.host.log.note('error', 'Removed photographs could not be counted.', { error: String(error) }),
      );
    this.#tellSoon();
  }

  #enter(docId: string, unsure: Set<string>): void {
    const entries = this.#ledger.document('image', docId);
    if (entries.some(({ deletes }) => deletes)) unsure.add(docId);
    const before = this.#standings.get(docId);
    const next = standingOf(this.#ledger, docId, entries, this.#removed.get(docId) ?? entries.at(-1)?.deletes === true);
    if (before !== undefined && before.surveyId !== next?.surveyId) {
      this.#bySurvey.get(before.surveyId)?.delete(docId);
      this.#tallies.delete(before.surveyId);
    }
    if (next === undefined) {
      this.#standings.delete(docId);
      return;
    }
    this.#standings.set(docId, next);
    const siblings = this.#bySurvey.get(next.surveyId) ?? new Map<string, Standing>();
    siblings.set(docId, next);
    this.#bySurvey.set(next.surveyId, siblings);
    this.#tallies.delete(next.surveyId);
  }

  /** Whether a photograph that somebody deleted is deleted is the fold's to say: an edit that the delete did not see keeps it. */
  async #foldAll(docIds: readonly string[]): Promise<void> {
    const rows = await countingOps(
      this.#store,
      docIds.map((docId) => ['image', docId] as const),
    );
    for (const docId of docIds) {
      const ops = rows.flatMap((row) => (row.docId === docId ? [row.op] : []));
      this.#removed.set(docId, ops.length > 0 && fold(ops).deleted);
      this.#enter(docId, new Set());
    }
    this.#tellSoon();
  }

  #tellSoon(): void {
    this.#callOff ??= this.#store.host.timers.after(GATHER_MS, () => {
      this.#callOff = undefined;
      this.changed.emit();
    });
  }
}

function standingOf(
  ledger: Ledger,
  docId: string,
  entries: readonly LedgerEntry[],
  removed: boolean,
): Standing | undefined {
  // Edits carry the bytes' name along; the first operation that names them is the one that was sent with them.
  const first = entries.find(({ blob }) => blob !== undefined);
  if (first?.blob === undefined || first.surveyId === undefined) return undefined;
  let box: Receipt | undefined;
  let shore: Receipt | undefined;
  let held: WireError | undefined;
  let vouching = first;
  let owed = 0;
  for (const entry of entries) {
    const valid = validReceipts(ledger, entry.opId);
    const accepted = valid.filter((receipt) => receipt.accepted);
    if (accepted.length === 0) owed += 1;
    const refused = valid.find((receipt) => !receipt.accepted);
    const hold = ledger
      .holds(entry.opId)
      .find(({ nodeId, storeEpoch }) =>
        ledger.lives.some((life) => life.nodeId === nodeId && life.storeEpoch === storeEpoch),
      );
    if (accepted.length === 0) held ??= refused === undefined ? hold?.error : quarantineReason(refused);
    for (const receipt of accepted) {
      if (receipt.blob?.sha256 !== first.blob.sha256 || receipt.blob.bytes !== first.blob.bytes) continue;
      if (receipt.stage === 'cloud') shore ??= receipt;
      else if (box === undefined) {
        box = receipt;
        vouching = entry;
      }
    }
  }
  return {
    id: docId as ImageId,
    surveyId: first.surveyId as SurveyId,
    sha256: first.blob.sha256,
    bytes: first.blob.bytes,
    own: first.own,
    removed,
    here: ledger.hasBytes(first.blob.sha256),
    freed: !ledger.hasBytes(first.blob.sha256) && ledger.wasFreed(first.blob.sha256),
    opId: vouching.opId,
    box,
    shore,
    held,
    damaged: held !== undefined && (held['field'] === 'storage' || held['field'] === 'bytes'),
    editOwed: (box !== undefined || shore !== undefined) && owed > 0,
  };
}

function tallyOf(standings: Iterable<Standing>): SurveyTally {
  const sum = {
    total: 0,
    tablet: 0,
    box: 0,
    shore: 0,
    twice: 0,
    alone: 0,
    held: 0,
    elsewhere: 0,
    lost: 0,
    aloneBytes: 0,
  };
  for (const { removed, here, freed, damaged, box, shore, held, bytes } of standings) {
    if (removed) continue;
    const tablet = here && !damaged;
    const places = Number(tablet) + Number(box !== undefined) + Number(shore !== undefined);
    sum.total += 1;
    sum.tablet += Number(tablet);
    sum.box += Number(box !== undefined);
    sum.shore += Number(shore !== undefined);
    sum.twice += Number(places >= 2);
    sum.held += Number(held !== undefined);
    if (tablet && places === 1) {
      sum.alone += 1;
      sum.aloneBytes += bytes;
    }
    if (places > 0) continue;
    // Freed on the word of a store that is no more: nobody here knows who has it.
    if (damaged || here || freed) sum.lost += 1;
    else sum.elsewhere += 1;
  }
  return sum;
}
