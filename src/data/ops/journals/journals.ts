import { GroupCommit } from '../../../base/group-commit';
import { KeyedMutex } from '../../../base/keyed-mutex';
import type { ImageId } from '../../../domain/ids';
import { makeId } from '../../../domain/ids';
import { otherTabError } from '../append';
import type { JournalRow } from '../database';
import type { OpsStore } from '../ops-store';
import type { JournalBegin, JournalCodec, JournalKey, ReadJournal } from './journal-rows';
import { journalPrefix, parseRowId, readRows, rowIdOf, rowNumberOf } from './journal-rows';

/** Maximum entries per row: edits made while the disk was busy share the next row. */
const ROW_ENTRIES_MAX = 200;

/** Journal of one kind, by its author and photograph. */
type JournalName = Pick<JournalKey, 'uid' | 'imageId'>;

interface PendingEntry {
  readonly entry: object;
  /** First entry, if the journal is still empty. */
  readonly begin: () => object;
}

interface OpenJournal {
  /** Number of the last row that this tab read or wrote; undefined: not read yet. */
  lastRow: number | undefined;
  /** Tag that no other row of that number has: another tab may have ended the journal and started a new one. */
  lastRowTag: string | undefined;
  readonly writes: GroupCommit<PendingEntry, PendingEntry>;
}

/**
 * Journals of edits to photographs: each row is its own strict transaction and immutable, so the thousandth stroke
 * costs as much as the first. A tab appends only after rows that it has seen; strokes that would not follow them are
 * refused.
 */
export class Journals<Begin extends JournalBegin, Edit, Parsed> {
  readonly #openJournals = new Map<string, OpenJournal>();
  readonly #mutex = new KeyedMutex();
  readonly #tab: string;

  readonly #store: OpsStore;
  readonly #codec: JournalCodec<Begin, Edit, Parsed>;

  constructor(store: OpsStore, codec: JournalCodec<Begin, Edit, Parsed>) {
    this.#store = store;
    this.#codec = codec;
    this.#tab = makeId(store.host.randomBytes);
  }

  /** Reads a journal; this tab continues from there. */
  read(name: JournalName): Promise<ReadJournal<Begin, Parsed>> {
    const prefix = this.#prefixOf(name);
    return this.#exclusive(prefix, async (journal) => {
      const { rows, unreadable } = await this.#rows(prefix);
      journal.lastRow = [...rows.map(rowNumberOf), ...unreadable].reduce((most, n) => Math.max(most, n), 0);
      const last = rows.at(-1);
      journal.lastRowTag = last !== undefined && rowNumberOf(last) === journal.lastRow ? rowTagOf(last) : undefined;
      return readRows(this.#codec, rows, journal.lastRow);
    });
  }

  /**
   * Settles when the edit is durable. @param begin first entry, if the journal is still empty @throws ReefError
   * `storage-full`, `bad-message`, `forbidden` {field: 'journal'}
   */
  async add(name: JournalName, edit: Edit, begin: () => Begin): Promise<void> {
    const codec = this.#codec;
    const entry = codec.pack(edit);
    await this.#openJournal(this.#prefixOf(name)).writes.add({ entry, begin: () => codec.packBegin(begin()) });
  }

  /** True if no other tab has written since this one read or wrote; false before. */
  isCurrent(name: JournalName): Promise<boolean> {
    const prefix = this.#prefixOf(name);
    const store = this.#store;
    return this.#exclusive(prefix, async ({ lastRow, lastRowTag }) => {
      const last = await store.run(() => store.db.journals.where('id').startsWith(prefix).last());
      if (last === undefined) return lastRow === 0;
      return rowNumberOf(last) === lastRow && rowTagOf(last) === lastRowTag;
    });
  }

  /** True if the journal has rows. */
  async has(name: JournalName): Promise<boolean> {
    const store = this.#store;
    const prefix = this.#prefixOf(name);
    return (await store.run(() => store.db.journals.where('id').startsWith(prefix).limit(1).count())) > 0;
  }

  /** Author, of several ids of one person, whose journal of the photograph has rows; undefined: none has. */
  async authorOf(imageId: ImageId, uids: Iterable<string>): Promise<string | undefined> {
    for (const uid of uids) if (await this.has({ uid, imageId })) return uid;
    return undefined;
  }

  /** Runs work that closes the journal, at a moment when nothing is being written. @throws the error of the work */
  closeWith<Value>(
    name: JournalName,
    work: (journal: {
      readonly prefix: string;
      readonly lastRowId: string | null;
      readonly lastRowTag: string | undefined;
    }) => Promise<Value>,
  ): Promise<Value> {
    const prefix = this.#prefixOf(name);
    return this.#exclusive(prefix, async (journal) => {
      const value = await work({
        prefix,
        lastRowId: journal.lastRow === undefined || journal.lastRow === 0 ? null : rowIdOf(prefix, journal.lastRow),
        lastRowTag: journal.lastRowTag,
      });
      journal.lastRow = 0;
      journal.lastRowTag = undefined;
      return value;
    });
  }

  #prefixOf({ uid, imageId }: JournalName): string {
    return journalPrefix({ kind: this.#codec.kind, uid, imageId });
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
            id: rowIdOf(prefix, 1),
            at,
            entries: batch.slice(0, 1).map(({ begin }) => begin()),
            tab: this.#tab,
          });
        await db.journals.add({ id: rowIdOf(prefix, next), at, entries, tab: this.#tab });
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
      store.host.log.note('warn', 'Unsaved work could not be read at once; reading it row by row.', {
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
        store.host.log.note('error', 'Some unsaved work can no longer be read: this tablet’s storage is damaged.', {
          id,
          error: String(error),
        });
        unreadable.push(parseRowId(id)?.n ?? 0);
      }
    }
    return { rows, unreadable };
  }
}

const rowTagOf = ({ at, tab }: Pick<JournalRow, 'at' | 'tab'>): string => `${at} ${tab}`;
