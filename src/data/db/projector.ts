import { ReefError } from '../../domain/errors';
import type { OpKind } from '../../domain/op/op';
import { docKeyOf, OP_KINDS } from '../../domain/op/op';
import type { ReadModel, StoredDoc } from './read-model';
import type { DirtyRow, OpRow } from '../ops/database';
import { SEGMENTS_IN_MEMORY_MAX } from './unprojected-documents';
import type { OpIndex } from '../ops/op-index';
import type { OpsStore } from '../ops/ops-store';
import { readDocOf, rowsByDocument } from './read-doc';
import { readSegments } from '../ops/segments';
import { effectiveOps } from '../ops/effective-ops';
import { findWholeDocuments } from './whole-documents';

const DOCUMENT_BATCH = 250;
const SEGMENT_BATCH = 8;
/** Quiet time, in rests, before segments are projected, and the longest delay, in rests. */
const SEGMENT_QUIET_RESTS = 4;
const SEGMENT_RESTS_MAX = 60;
/** Retry delay after a failure, ms. */
const RETRY_MS = 5000;

/**
 * Writes the read model from the operations; its only writer. Each write of operations leaves a mark in its transaction
 * (`dirty` for a document, `behind` for a segment) that is removed once projected: the next start makes up for a tab
 * that died.
 */
export class Projector {
  #working: Promise<void> = Promise.resolve();
  #stopWatching: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #restsUntil = -Infinity;
  #cancelSegmentTimer: (() => void) | undefined;
  /** Latest pending segment, the time since the first one waits, and whether segments are projected now. */
  #latestSegment = 0;
  #waitingSince: number | undefined;
  #areSegmentsDue: boolean;
  /** State of the round started by `schedule`; `again`: more arrived during it. */
  #round: 'none' | 'working' | 'again' = 'none';
  readonly #closing = new AbortController();

  readonly #store: OpsStore;
  readonly #opIndex: OpIndex;
  readonly #model: Promise<ReadModel>;
  readonly #lockName: string;
  readonly #restMs: number;

  /**
   * @param restMs pause between two scheduled rounds: while photographs are added, their changes are written together.
   * Segments wait longer: screens get them from `UnprojectedDocuments`, and reading the feed has the page's thread to
   * itself
   */
  constructor(store: OpsStore, opIndex: OpIndex, model: Promise<ReadModel>, lockName: string, restMs: number) {
    this.#store = store;
    this.#opIndex = opIndex;
    this.#model = model;
    this.#lockName = lockName;
    this.#restMs = restMs;
    this.#areSegmentsDue = restMs === 0;
  }

  /** Projects everything newer than the read model, then whatever any tab writes. */
  async start(): Promise<void> {
    const { token } = await this.#model;
    if ((await this.#store.getMeta('readModel')) !== token) {
      await this.#markAll();
      await this.#store.setMeta('readModel', token);
    }
    if (this.#closing.signal.aborted) return;
    this.#stopWatching = this.#store.watch(
      async () => ({
        dirty: await this.#store.db.dirty.count(),
        segments: await this.#store.db.behind.toCollection().primaryKeys(),
      }),
      ({ dirty, segments }) => {
        this.#followSegments(segments);
        if (dirty > 0 || (segments.length > 0 && this.#areSegmentsDue)) this.schedule();
      },
    );
  }

  #followSegments(segments: readonly number[]): void {
    const { clock, timers } = this.#store.host;
    const latest = segments.at(-1);
    if (segments.length > SEGMENTS_IN_MEMORY_MAX) this.#areSegmentsDue = true;
    // Emptied storage restarts its numbers: a later segment may have a smaller one.
    if (latest === undefined || this.#areSegmentsDue || latest === this.#latestSegment) return;
    this.#latestSegment = latest;
    this.#waitingSince ??= clock.elapsed();
    this.#cancelSegmentTimer?.();
    const left = this.#waitingSince + SEGMENT_RESTS_MAX * this.#restMs - clock.elapsed();
    this.#cancelSegmentTimer = timers.after(Math.max(0, Math.min(SEGMENT_QUIET_RESTS * this.#restMs, left)), () => {
      this.#waitingSince = undefined;
      this.#areSegmentsDue = true;
      this.schedule();
    });
  }

  /**
   * Schedules a round: immediately, or one rest after the previous one. If it fails (a full disk, lost storage) the
   * marks stay and it is retried.
   */
  schedule(): void {
    const { clock, timers } = this.#store.host;
    if (this.#closing.signal.aborted || this.#cancelTimer !== undefined) return;
    if (this.#round !== 'none') {
      this.#round = 'again';
      return;
    }
    const rest = this.#restsUntil - clock.elapsed();
    if (rest <= 0) this.#startRound();
    else this.#cancelTimer = timers.after(rest, () => this.#startRound());
  }

  #startRound(): void {
    const { host } = this.#store;
    this.#cancelTimer = undefined;
    this.#round = 'working';
    this.settle()
      .then(() => {
        // Later arrivals were not due yet: the next round checks again.
        if (this.#round === 'working') this.#areSegmentsDue &&= this.#restMs === 0;
      })
      .catch((error: unknown) => {
        host.log.note('error', 'Projection failed; retrying.', { error: String(error) });
        if (!this.#closing.signal.aborted) this.#cancelTimer = host.timers.after(RETRY_MS, () => this.#startRound());
      })
      .finally(() => {
        const again = this.#round === 'again';
        this.#round = 'none';
        this.#restsUntil = host.clock.elapsed() + this.#restMs;
        if (again) this.schedule();
      });
  }

  /** Processes the marks of documents, and of segments if due; settles when done. */
  settle(): Promise<void> {
    const next = this.#working.then(() => this.#drainQueue());
    this.#working = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    this.#stopWatching?.();
    this.#cancelTimer?.();
    this.#cancelSegmentTimer?.();
    this.#closing.abort(new Error('the tablet is closed'));
    await this.#working;
  }

  /** One tab at a time: otherwise an older projection could overwrite a newer one. */
  async #drainQueue(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const work = this.#store.host.locks.hold(this.#lockName, signal, async () => {
      for (;;) {
        // Own writes are shown before more of the feed.
        const marks = await this.#store.run(() => this.#store.db.dirty.limit(DOCUMENT_BATCH).toArray());
        const segments =
          marks.length > 0 || !this.#areSegmentsDue
            ? []
            : await this.#store.run(() => this.#store.db.behind.limit(SEGMENT_BATCH).primaryKeys());
        if (this.#closing.signal.aborted) return;
        if (segments.length + marks.length === 0) return;
        if (marks.length > 0) await this.#projectAll(marks);
        else await this.#projectSegments(segments);
      }
    });
    await work.catch((error: unknown) => {
      // Closed while waiting for another tab, which does the work.
      if (!signal.aborted) throw error;
    });
  }

  async #projectSegments(segments: readonly number[]): Promise<void> {
    const store = this.#store;
    const opIndex = this.#opIndex;
    await opIndex.follow();
    const whole = findWholeDocuments(opIndex, await store.run(() => readSegments(store, segments)));
    await this.#write(
      [...whole.documents, ...whole.partial],
      [...whole.rows, ...(await effectiveOps(store, whole.partial))],
    );
    await store.run(() => store.db.behind.bulkDelete([...segments]));
  }

  async #projectAll(marks: readonly DirtyRow[]): Promise<void> {
    const { db } = this.#store;
    const keys = marks.map(({ kind, docId }): [OpKind, string] => [kind, docId]);
    await this.#write(keys, await effectiveOps(this.#store, keys));
    await this.#store.run(() =>
      db.transaction('rw', db.dirty, async () => {
        // A mark that changed since stays: there is something newer to project.
        const now = await db.dirty.bulkGet(keys);
        await db.dirty.bulkDelete(keys.filter((_key, i) => now[i]?.arrival === marks[i]?.arrival));
      }),
    );
  }

  async #write(keys: readonly (readonly [OpKind, string])[], counting: readonly OpRow[]): Promise<void> {
    const { collections } = await this.#model;
    const rows = rowsByDocument(counting);
    for (const kind of OP_KINDS) {
      const documents: StoredDoc[] = [];
      for (const [of, docId] of keys) {
        if (of !== kind) continue;
        const document = readDocOf(kind, docId, rows.get(docKeyOf(kind, docId)) ?? []);
        if (document === undefined) await collections[kind].findOne(docId).remove();
        // RxDB freezes and retains its input, so it gets its own copy.
        else documents.push(structuredClone(document) as StoredDoc);
      }
      if (documents.length === 0) continue;
      const { error } = await collections[kind].bulkUpsert(documents);
      if (error.length > 0)
        throw new ReefError('internal', { message: 'The read model refused a document.', cause: error[0] });
    }
  }

  async #markAll(): Promise<void> {
    const { db } = this.#store;
    await this.#store.run(() =>
      db.transaction('rw', [db.ops, db.dirty, db.segments, db.behind], async () => {
        const marks = new Map<string, DirtyRow>();
        await db.ops
          .orderBy('arrival')
          .each(({ kind, docId, arrival }) => marks.set(docKeyOf(kind, docId), { kind, docId, arrival }));
        await db.dirty.bulkPut([...marks.values()]);
        await db.behind.bulkPut((await db.segments.toCollection().primaryKeys()).map((arrival) => ({ arrival })));
      }),
    );
  }
}
