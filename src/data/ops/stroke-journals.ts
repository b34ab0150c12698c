import type { FreeDrawMark } from '../../domain/analysis/free-draw/marks';
import type { PreservedTraces } from '../../domain/analysis/free-draw/record';
import type { AnalysisId, ImageId, OpId, SurveyId } from '../../domain/ids';
import { makeId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import { isObject } from '../../domain/json';
import { keyedMutex } from '../repositories/keyed-mutex';
import { otherTabError } from './append';
import type { JournalRow } from './database';
import type { JournalMark } from './journal-mark';
import { parseMark } from './journal-mark';
import type { OpsStore } from './ops-store';

const ROW_ID_DIGITS = 8;
/** Entries of one row at most: what was done while the disk was busy goes into the next one together. */
const ROW_ENTRIES_MAX = 200;

/** The analysis that a journal goes on from. */
export interface JournalBase {
  readonly analysisId: AnalysisId;
  /** Its live writes as they were seen: what saving replaces. */
  readonly writes: readonly OpId[];
  /** The record, without its preview. */
  readonly body: JsonObject;
}

export interface JournalBegin {
  readonly do: 'begin';
  readonly survey: { readonly id: SurveyId; readonly name: string };
  readonly base: JournalBase | null;
  /** Of the analysis that it becomes, new or old: saved twice it is there once. */
  readonly analysisId: AnalysisId;
}

/** One thing that was done, as a row holds it. */
export type JournalEntry =
  JournalBegin | { readonly do: 'add'; readonly mark: unknown } | { readonly do: 'undo' | 'redo' | 'clear' };

/** Whose journal, and of what. */
export interface JournalKey {
  readonly uid: string;
  readonly imageId: ImageId;
}

/** What lies in a journal. */
export interface JournalState {
  readonly begin: JournalBegin | null;
  /** What stands and what was taken back, from the journal's own strokes; `start` says with what it began. */
  readonly marks: readonly FreeDrawMark[];
  readonly undone: readonly FreeDrawMark[];
  readonly unknown: ReadonlyMap<string, number>;
  readonly unknownTraces: PreservedTraces;
  /** Rows that are gone or cannot be read: what was done in them is lost. */
  readonly damaged: number;
  /** ISO 8601, of the last row; null where nothing lies in it. */
  readonly at: string | null;
}

interface PendingEntry {
  readonly entry: JournalEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface OpenJournal {
  /** The number of the last row that this tab read or wrote; undefined: it has not looked yet. */
  lastRow: number | undefined;
  /** What no other row of that number has: another tab may have ended the journal and begun anew. */
  lastRowTag: string | undefined;
  readonly pending: PendingEntry[];
  /** Settles when nothing is left to be written; undefined: nothing is. */
  writing: Promise<void> | undefined;
}

/** Begins the ids of a journal's rows. */
export const journalPrefix = ({ uid, imageId }: JournalKey): string => `${uid}/${imageId}/`;

/** The journal that a row belongs to, and its number there; undefined for a row of something else. */
export function parseRowId(id: string): (JournalKey & { readonly n: number }) | undefined {
  const [uid, imageId, n, more] = id.split('/');
  if (uid === undefined || imageId === undefined || n === undefined || more !== undefined || !/^\d{8}$/.test(n))
    return undefined;
  return { uid, imageId: imageId as ImageId, n: Number(n) };
}

/**
 * What people do to photographs, kept stroke by stroke: each row is a strict transaction of its own and is never changed, so that
 * the thousandth stroke costs what the first did. A tab writes only after the rows that it has seen; one whose strokes
 * would not follow them is refused.
 */
export class StrokeJournals {
  readonly #openJournals = new Map<string, OpenJournal>();
  readonly #mutex = keyedMutex<string>();
  readonly #tab: string;

  readonly #store: OpsStore;

  constructor(store: OpsStore) {
    this.#store = store;
    this.#tab = makeId(store.host.randomBytes);
  }

  /** What lies in a journal; from now on this tab goes on from there. @param start what it began with, where its first row does not say */
  read(name: JournalKey, start: (begin: JournalBegin | null) => readonly FreeDrawMark[]): Promise<JournalState> {
    const prefix = journalPrefix(name);
    return this.#exclusive(prefix, async (journal) => {
      const { rows, unreadable } = await this.#rows(prefix);
      journal.lastRow = [...rows.map(rowNumberOf), ...unreadable].reduce((most, n) => Math.max(most, n), 0);
      const last = rows.at(-1);
      journal.lastRowTag = last !== undefined && rowNumberOf(last) === journal.lastRow ? rowTagOf(last) : undefined;
      return replay(rows, journal.lastRow, start);
    });
  }

  /** Settles when the entry is durable. @param begin the journal's first entry, for where it has none yet @throws ReefError `storage-full`, `forbidden` {field: 'journal'} */
  add(name: JournalKey, entry: JournalEntry, begin: () => JournalBegin): Promise<void> {
    const prefix = journalPrefix(name);
    const journal = this.#openJournal(prefix);
    return new Promise((resolve, reject) => {
      journal.pending.push({ entry, resolve, reject });
      journal.writing ??= this.#drainQueue(prefix, journal, begin).finally(() => (journal.writing = undefined));
    });
  }

  /** Does something at a moment at which nothing is being written; told what ends the journal. @throws what the work throws */
  closeWith<Value>(
    name: JournalKey,
    work: (journal: {
      readonly prefix: string;
      readonly lastRowId: string | null;
      readonly lastRowTag: string | undefined;
    }) => Promise<Value>,
  ): Promise<Value> {
    const prefix = journalPrefix(name);
    return this.#exclusive(prefix, async (journal) => {
      const value = await work({
        prefix,
        lastRowId: journal.lastRow === undefined || journal.lastRow === 0 ? null : rowId(prefix, journal.lastRow),
        lastRowTag: journal.lastRowTag,
      });
      journal.lastRow = 0;
      journal.lastRowTag = undefined;
      return value;
    });
  }

  /** Does something between two writes. */
  async #exclusive<Value>(prefix: string, work: (journal: OpenJournal) => Promise<Value>): Promise<Value> {
    const journal = this.#openJournal(prefix);
    while (journal.writing !== undefined) await journal.writing;
    return this.#mutex(prefix, () => work(journal));
  }

  #openJournal(prefix: string): OpenJournal {
    const known = this.#openJournals.get(prefix);
    if (known !== undefined) return known;
    const made: OpenJournal = { lastRow: undefined, lastRowTag: undefined, pending: [], writing: undefined };
    this.#openJournals.set(prefix, made);
    return made;
  }

  async #drainQueue(prefix: string, journal: OpenJournal, begin: () => JournalBegin): Promise<void> {
    // Whoever does more in this turn goes along.
    await Promise.resolve();
    while (journal.pending.length > 0) {
      const batch = journal.pending.splice(0, ROW_ENTRIES_MAX);
      const entries = batch.map(({ entry }) => entry);
      try {
        await this.#mutex(prefix, () => this.#write(prefix, journal, entries, begin));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        // Whoever did them has them and gives them again, with what came after them: nothing may go before.
        for (const { reject } of [...batch, ...journal.pending.splice(0)]) reject(error);
      }
    }
  }

  async #write(
    prefix: string,
    journal: OpenJournal,
    entries: readonly JournalEntry[],
    begin: () => JournalBegin,
  ): Promise<void> {
    const store = this.#store;
    const { db } = store;
    const at = store.isoNow();
    const now = await store.run(() =>
      db.transaction('rw', db.journals, async () => {
        const [lastKey] = await db.journals.where('id').startsWith(prefix).reverse().limit(1).primaryKeys();
        const last = lastKey === undefined ? 0 : (parseRowId(lastKey)?.n ?? 0);
        const expected = journal.lastRow ?? last;
        const next = expected === 0 ? 2 : expected + 1;
        // A row is as small as what was done at once. One that the storage does not give is not told from another.
        const lastRow =
          lastKey === undefined || last < 2 || (last !== next && journal.lastRowTag === undefined)
            ? undefined
            : await db.journals.get(lastKey).catch(() => undefined);
        // After a lost connection the row may be in though its answer did not arrive.
        if (last === next && lastRow?.tab === this.#tab) return { n: last, mark: rowTagOf(lastRow) };
        if (
          last !== expected ||
          (journal.lastRowTag !== undefined && lastRow !== undefined && rowTagOf(lastRow) !== journal.lastRowTag)
        )
          throw otherTabError();
        if (expected === 0) await db.journals.add({ id: rowId(prefix, 1), at, entries: [begin()], tab: this.#tab });
        await db.journals.add({ id: rowId(prefix, next), at, entries, tab: this.#tab });
        return { n: next, mark: rowTagOf({ at, tab: this.#tab }) };
      }),
    );
    journal.lastRow = now.n;
    journal.lastRowTag = now.mark;
  }

  /** The rows of a journal in their order, and the numbers of those that the storage does not give. */
  async #rows(
    prefix: string,
  ): Promise<{ readonly rows: readonly JournalRow[]; readonly unreadable: readonly number[] }> {
    const store = this.#store;
    const { db } = store;
    try {
      return { rows: await store.run(() => db.journals.where('id').startsWith(prefix).toArray()), unreadable: [] };
    } catch (error) {
      store.host.log.note('warn', 'A journal of strokes could not be read at once; its rows are read one by one.', {
        error: String(error),
      });
    }
    const rows: JournalRow[] = [];
    const unreadable: number[] = [];
    for (const id of await store.run(() => db.journals.where('id').startsWith(prefix).primaryKeys())) {
      try {
        const row = await store.run(() => db.journals.get(id));
        if (row !== undefined) rows.push(row);
      } catch (error) {
        store.host.log.note('error', 'Strokes cannot be read any more: the storage of this tablet is damaged there.', {
          id,
          error: String(error),
        });
        unreadable.push(parseRowId(id)?.n ?? 0);
      }
    }
    return { rows, unreadable };
  }
}

const rowNumberOf = ({ id }: JournalRow): number => parseRowId(id)?.n ?? 0;

const rowTagOf = ({ at, tab }: Pick<JournalRow, 'at' | 'tab'>): string => `${at} ${tab}`;

const rowId = (prefix: string, n: number): string => `${prefix}${String(n).padStart(ROW_ID_DIGITS, '0')}`;

/**
 * Does again what a journal says.
 *
 * @param last the number of its last row: as many there should be
 */
export function replay(
  rows: readonly JournalRow[],
  last: number,
  start: (begin: JournalBegin | null) => readonly FreeDrawMark[],
): JournalState {
  let damaged = last - rows.length;
  const entries: JournalEntry[] = [];
  for (const row of rows) {
    const read = Array.isArray(row.entries) ? row.entries.map(parseEntry) : [undefined];
    // What can be read of a row stands, but an order that is not known is not guessed: the rest of the row goes.
    const wrong = read.indexOf(undefined);
    if (wrong >= 0) damaged += 1;
    for (const entry of wrong < 0 ? read : read.slice(0, wrong)) if (entry !== undefined) entries.push(entry);
  }
  const first = entries[0];
  const begin = first?.do === 'begin' ? first : null;
  let marks: JournalMark[] = start(begin).map((mark) => ({ kind: 'mark', mark }));
  let undone: JournalMark[] = [];
  for (const entry of entries) {
    switch (entry.do) {
      case 'begin':
        break;
      case 'add': {
        const mark = parseMark(entry.mark);
        if (mark === undefined) break;
        marks.push(mark);
        undone = [];
        break;
      }
      case 'undo':
        moveLast(marks, undone);
        break;
      case 'redo':
        moveLast(undone, marks);
        break;
      case 'clear':
        marks = [];
        undone = [];
        break;
    }
  }
  const unknownMarks = marks.filter((mark) => mark.kind === 'unknown');
  const unknown = new Map<string, number>();
  for (const { id } of unknownMarks) unknown.set(id, (unknown.get(id) ?? 0) + 1);
  return {
    begin,
    marks: visibleMarks(marks),
    undone: visibleMarks(undone),
    unknown,
    unknownTraces: {
      features: unknownMarks.flatMap(({ feature }) => feature ?? []),
      zaps: unknownMarks.flatMap(({ zap }) => (zap === null ? [] : [{ ...zap }])),
    },
    damaged,
    at: rows.at(-1)?.at ?? null,
  };
}

function moveLast(from: JournalMark[], to: JournalMark[]): void {
  const mark = from.pop();
  if (mark !== undefined) to.push(mark);
}

const visibleMarks = (marks: readonly JournalMark[]): readonly FreeDrawMark[] =>
  marks.flatMap((mark) => (mark.kind === 'mark' ? [mark.mark] : []));

/** undefined for what is no entry. */
function parseEntry(value: unknown): JournalEntry | undefined {
  if (!isObject(value)) return undefined;
  switch (value['do']) {
    case 'undo':
    case 'redo':
    case 'clear':
      return { do: value['do'] };
    case 'add':
      return parseMark(value['mark']) === undefined ? undefined : { do: 'add', mark: value['mark'] };
    case 'begin': {
      const { survey, base, analysisId } = value;
      if (
        typeof analysisId !== 'string' ||
        !isObject(survey) ||
        typeof survey['id'] !== 'string' ||
        typeof survey['name'] !== 'string'
      )
        return undefined;
      const isBase =
        isObject(base) &&
        typeof base['analysisId'] === 'string' &&
        Array.isArray(base['writes']) &&
        isObject(base['body']);
      if (base !== null && !isBase) return undefined;
      return value as unknown as JournalBegin;
    }
    default:
      return undefined;
  }
}
