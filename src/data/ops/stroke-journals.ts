import type { FreeDrawMark } from '../../domain/analysis/free-draw/marks';
import type { MarkEdit, MarkLog } from '../../domain/analysis/mark-log';
import { replayMarkCommands } from '../../domain/analysis/mark-log';
import type { PreservedTraces } from '../../domain/analysis/free-draw/record';
import type { AnalysisId, ImageId, OpId, SurveyId } from '../../domain/ids';
import { makeId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import { isObject } from '../../domain/json';
import { GroupCommit } from '../../base/group-commit';
import { KeyedMutex } from '../../base/keyed-mutex';
import { otherTabError } from './append';
import type { JournalRow } from './database';
import type { JournalMark, StoredMark } from './journal-mark';
import { packMark, parseMark } from './journal-mark';
import type { OpsStore } from './ops-store';

const ROW_ID_DIGITS = 8;
/** Maximum entries per row: edits made while the disk was busy share the next row. */
const ROW_ENTRIES_MAX = 200;

export interface JournalBase {
  readonly analysisId: AnalysisId;
  /** Its current operations when opened: those that saving replaces. */
  readonly writes: readonly OpId[];
  /** Record without its preview. */
  readonly body: JsonObject;
}

export interface JournalBegin {
  readonly do: 'begin';
  readonly survey: { readonly id: SurveyId; readonly name: string };
  readonly base: JournalBase | null;
  /** Id of the resulting analysis, new or existing: saving twice creates one. */
  readonly analysisId: AnalysisId;
}

type JournalEntry =
  | JournalBegin
  | { readonly do: 'add'; readonly mark: StoredMark }
  | { readonly do: Exclude<MarkEdit<never>['kind'], 'add'> };

/** Stored form of an edit. @throws ReefError `bad-message` for a mark with an invalid coordinate */
export const journalEntry = (edit: MarkEdit<FreeDrawMark>): JournalEntry =>
  edit.kind === 'add' ? { do: 'add', mark: packMark(edit.mark) } : { do: edit.kind };

export interface JournalKey {
  readonly uid: string;
  readonly imageId: ImageId;
}

/** Log of marks after all edits; `start` supplies the initial ones. */
interface JournalState extends MarkLog<FreeDrawMark> {
  readonly begin: JournalBegin | null;
  readonly unknown: ReadonlyMap<string, number>;
  readonly unknownTraces: PreservedTraces;
  /** Number of missing or unreadable rows: their edits are lost. */
  readonly damaged: number;
  /** ISO 8601 time of the last row; null if it is empty. */
  readonly at: string | null;
}

interface PendingEntry {
  readonly entry: JournalEntry;
  /** First entry, if the journal is still empty. */
  readonly begin: () => JournalBegin;
}

interface OpenJournal {
  /** Number of the last row that this tab read or wrote; undefined: not read yet. */
  lastRow: number | undefined;
  /** Tag that no other row of that number has: another tab may have ended the journal and started a new one. */
  lastRowTag: string | undefined;
  readonly writes: GroupCommit<PendingEntry, PendingEntry>;
}

export const journalPrefix = ({ uid, imageId }: JournalKey): string => `${uid}/${imageId}/`;

/** Journal and number of a row; undefined for an id of another form. */
export function parseRowId(id: string): (JournalKey & { readonly n: number }) | undefined {
  const [uid, imageId, n, more] = id.split('/');
  if (uid === undefined || imageId === undefined || n === undefined || more !== undefined || !/^\d{8}$/.test(n))
    return undefined;
  return { uid, imageId: imageId as ImageId, n: Number(n) };
}

/**
 * Journals of edits to photographs: each row is its own strict transaction and immutable, so the thousandth stroke
 * costs as much as the first. A tab appends only after rows that it has seen; strokes that would not follow them are
 * refused.
 */
export class StrokeJournals {
  readonly #openJournals = new Map<string, OpenJournal>();
  readonly #mutex = new KeyedMutex();
  readonly #tab: string;

  readonly #store: OpsStore;

  constructor(store: OpsStore) {
    this.#store = store;
    this.#tab = makeId(store.host.randomBytes);
  }

  /**
   * Reads a journal; this tab continues from there. @param start initial marks if the first row does not contain them
   */
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

  /**
   * Settles when the entry is durable. @param begin first entry, if the journal is still empty @throws ReefError
   * `storage-full`, `forbidden` {field: 'journal'}
   */
  async add(name: JournalKey, entry: JournalEntry, begin: () => JournalBegin): Promise<void> {
    await this.#openJournal(journalPrefix(name)).writes.add({ entry, begin });
  }

  /** Runs work that closes the journal, at a moment when nothing is being written. @throws the error of the work */
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

  async #exclusive<Value>(prefix: string, work: (journal: OpenJournal) => Promise<Value>): Promise<Value> {
    const journal = this.#openJournal(prefix);
    await journal.writes.idle();
    return this.#mutex.run(prefix, () => work(journal));
  }

  #openJournal(prefix: string): OpenJournal {
    const known = this.#openJournals.get(prefix);
    if (known !== undefined) return known;
    const journal: OpenJournal = {
      lastRow: undefined,
      lastRowTag: undefined,
      writes: new GroupCommit<PendingEntry, PendingEntry>({
        commit: async (batch) => {
          await this.#mutex.run(prefix, () => this.#write(prefix, journal, batch));
          return batch;
        },
        max: ROW_ENTRIES_MAX,
        // Further edits of this turn join the batch.
        gather: () => Promise.resolve(),
        // The caller still has the entries and submits them again with the later ones: order must not change.
        onFailure: () => 'reject-pending',
      }),
    };
    this.#openJournals.set(prefix, journal);
    return journal;
  }

  async #write(prefix: string, journal: OpenJournal, batch: readonly PendingEntry[]): Promise<void> {
    const entries = batch.map(({ entry }) => entry);
    const store = this.#store;
    const { db } = store;
    const at = store.isoNow();
    const now = await store.run(() =>
      db.transaction('rw', db.journals, async () => {
        const [lastKey] = await db.journals.where('id').startsWith(prefix).reverse().limit(1).primaryKeys();
        const last = lastKey === undefined ? 0 : (parseRowId(lastKey)?.n ?? 0);
        const expected = journal.lastRow ?? last;
        const next = expected === 0 ? 2 : expected + 1;
        // Reads little: a row is as small as one batch. An unreadable row counts as the expected one.
        const lastRow =
          lastKey === undefined || last < 2 || (last !== next && journal.lastRowTag === undefined)
            ? undefined
            : await db.journals.get(lastKey).catch(() => undefined);
        // After a lost connection the row may be stored although its result was lost.
        if (last === next && lastRow?.tab === this.#tab) return { n: last, mark: rowTagOf(lastRow) };
        if (
          last !== expected ||
          (journal.lastRowTag !== undefined && lastRow !== undefined && rowTagOf(lastRow) !== journal.lastRowTag)
        )
          throw otherTabError();
        if (expected === 0)
          await db.journals.add({
            id: rowId(prefix, 1),
            at,
            entries: batch.slice(0, 1).map(({ begin }) => begin()),
            tab: this.#tab,
          });
        await db.journals.add({ id: rowId(prefix, next), at, entries, tab: this.#tab });
        return { n: next, mark: rowTagOf({ at, tab: this.#tab }) };
      }),
    );
    journal.lastRow = now.n;
    journal.lastRowTag = now.mark;
  }

  /** Rows of a journal in order, and the numbers of unreadable ones. */
  async #rows(
    prefix: string,
  ): Promise<{ readonly rows: readonly JournalRow[]; readonly unreadable: readonly number[] }> {
    const store = this.#store;
    const { db } = store;
    try {
      return { rows: await store.run(() => db.journals.where('id').startsWith(prefix).toArray()), unreadable: [] };
    } catch (error) {
      store.host.log.note('warn', 'A stroke journal could not be read at once; reading it row by row.', {
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
        store.host.log.note('error', 'Some strokes can no longer be read: this tablet’s storage is damaged.', {
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
 * Replays a journal.
 *
 * @param last number of its last row, which is the expected number of rows
 */
export function replay(
  rows: readonly JournalRow[],
  last: number,
  start: (begin: JournalBegin | null) => readonly FreeDrawMark[],
): JournalState {
  let damaged = last - rows.length;
  const entries: (JournalBegin | MarkEdit<JournalMark>)[] = [];
  for (const row of rows) {
    const read = Array.isArray(row.entries) ? row.entries.map(parseEntry) : [undefined];
    // The readable start of a row is used, but an unknown order is never guessed: the rest of the row is dropped.
    const wrong = read.indexOf(undefined);
    if (wrong >= 0) damaged += 1;
    for (const entry of wrong < 0 ? read : read.slice(0, wrong)) if (entry !== undefined) entries.push(entry);
  }
  const first = entries[0];
  const begin = first !== undefined && 'do' in first ? first : null;
  const { marks, undone } = replayMarkCommands<JournalMark>(
    { marks: start(begin).map((mark) => ({ kind: 'mark', mark })), undone: [] },
    entries.flatMap((entry) => ('do' in entry ? [] : [entry])),
  );
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

const visibleMarks = (marks: readonly JournalMark[]): readonly FreeDrawMark[] =>
  marks.flatMap((mark) => (mark.kind === 'mark' ? [mark.mark] : []));

/** Returns undefined for an invalid entry. */
function parseEntry(value: unknown): JournalBegin | MarkEdit<JournalMark> | undefined {
  if (!isObject(value)) return undefined;
  switch (value['do']) {
    case 'undo':
    case 'redo':
    case 'clear':
      return { kind: value['do'] };
    case 'add': {
      const mark = parseMark(value['mark']);
      return mark === undefined ? undefined : { kind: 'add', mark };
    }
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
