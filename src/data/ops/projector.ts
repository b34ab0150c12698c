import { project } from '../../domain/fold/project';
import type { JsonObject } from '../../domain/json';
import { ReefError } from '../../domain/errors';
import type { OpKind } from '../../domain/op/op';
import { OP_KINDS } from '../../domain/op/op';
import type { ReadModel, StoredDoc } from '../db/read-model';
import type { DirtyRow, OpRow } from './database';
import type { OpsStore } from './ops-store';
import { countingOps } from './standing';

/** Documents that are written to the read model together. */
const BATCH = 250;
/** After a failure, ms. */
const AGAIN_MS = 5000;

/**
 * Writes the read model from the operations; its only writer. Each write of operations leaves a `dirty` mark in its own
 * transaction, which goes away once the document is projected: a tab that dies in between is made up for at the next start.
 */
export class Projector {
  private working: Promise<void> = Promise.resolve();
  private stopWatching: (() => void) | undefined;
  private callOff: (() => void) | undefined;
  private restsUntil = -Infinity;
  /** A round begun by `follow` is under way; `again`: something came meanwhile. */
  private round: 'none' | 'working' | 'again' = 'none';
  private readonly closing = new AbortController();

  /**
   * @param restMs between two rounds that `follow` began: while photographs come in, what came meanwhile is written, and heard of
   *   by the screens, together
   */
  constructor(
    private readonly store: OpsStore,
    private readonly model: Promise<ReadModel>,
    private readonly lockName: string,
    private readonly restMs: number,
  ) {}

  /** Projects all that is newer than the read model, then whatever any tab writes. */
  async start(): Promise<void> {
    const { token } = await this.model;
    if ((await this.store.fact('readModel')) !== token) {
      await this.markAll();
      await this.store.setFact('readModel', token);
    }
    if (this.closing.signal.aborted) return;
    this.stopWatching = this.store.watch(
      () => this.store.db.dirty.count(),
      (count) => {
        if (count > 0) this.follow();
      },
    );
  }

  /**
   * Works off the dirty marks soon: at once, or a rest after the round before. Where that fails (a full disk, a storage that
   * went away) they stay, and it is tried again.
   */
  follow(): void {
    const { clock, timers } = this.store.host;
    if (this.closing.signal.aborted || this.callOff !== undefined) return;
    if (this.round !== 'none') {
      this.round = 'again';
      return;
    }
    const rest = this.restsUntil - clock.elapsed();
    if (rest <= 0) this.begin();
    else this.callOff = timers.after(rest, () => this.begin());
  }

  private begin(): void {
    const { host } = this.store;
    this.callOff = undefined;
    this.round = 'working';
    this.settle()
      .catch((error: unknown) => {
        host.log.note('error', 'Projecting failed; it is tried again.', { error: String(error) });
        if (!this.closing.signal.aborted) this.callOff = host.timers.after(AGAIN_MS, () => this.begin());
      })
      .finally(() => {
        const again = this.round === 'again';
        this.round = 'none';
        this.restsUntil = host.clock.elapsed() + this.restMs;
        if (again) this.follow();
      });
  }

  /** Works off the dirty marks there are; settles when those are done. */
  settle(): Promise<void> {
    const next = this.working.then(() => this.workOff());
    this.working = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    this.stopWatching?.();
    this.callOff?.();
    this.closing.abort(new Error('the tablet is closed'));
    await this.working;
  }

  /** One tab at a time: an older projection could otherwise be written over a newer one. */
  private async workOff(): Promise<void> {
    const { signal } = this.closing;
    if (signal.aborted) return;
    const work = this.store.host.locks.hold(this.lockName, signal, async () => {
      for (;;) {
        const marks = await this.store.run(() => this.store.db.dirty.limit(BATCH).toArray());
        if (marks.length === 0 || this.closing.signal.aborted) return;
        await this.projectAll(marks);
      }
    });
    await work.catch((error: unknown) => {
      // Closed while waiting for another tab: that one does it.
      if (!signal.aborted) throw error;
    });
  }

  private async projectAll(marks: readonly DirtyRow[]): Promise<void> {
    const { collections } = await this.model;
    const { db } = this.store;
    const keys = marks.map(({ kind, docId }): [OpKind, string] => [kind, docId]);
    const rows = new Map<string, OpRow[]>();
    for (const row of await countingOps(this.store, keys)) {
      const key = `${row.kind}/${row.docId}`;
      rows.set(key, [...(rows.get(key) ?? []), row]);
    }
    for (const kind of OP_KINDS) {
      const documents: StoredDoc[] = [];
      for (const { docId } of marks.filter((mark) => mark.kind === kind)) {
        const document = readDocOf(kind, docId, rows.get(`${kind}/${docId}`) ?? []);
        if (document === undefined) await collections[kind].findOne(docId).remove();
        else documents.push(document);
      }
      if (documents.length === 0) continue;
      const { error } = await collections[kind].bulkUpsert(documents);
      if (error.length > 0) throw new ReefError('internal', { message: 'The read model refused a document.', cause: error[0] });
    }
    await this.store.run(() =>
      db.transaction('rw', db.dirty, async () => {
        // A mark that grew meanwhile stays: there is something newer to project.
        const now = await db.dirty.bulkGet(keys);
        await db.dirty.bulkDelete(keys.filter((_key, i) => now[i]?.arrival === marks[i]?.arrival));
      }),
    );
  }

  private async markAll(): Promise<void> {
    const { db } = this.store;
    await this.store.run(() =>
      db.transaction('rw', [db.ops, db.dirty], async () => {
        const marks = new Map<string, DirtyRow>();
        await db.ops.orderBy('arrival').each(({ kind, docId, arrival }) => marks.set(`${kind}/${docId}`, { kind, docId, arrival }));
        await db.dirty.bulkPut([...marks.values()]);
      }),
    );
  }
}

function readDocOf(kind: OpKind, docId: string, rows: readonly OpRow[]): StoredDoc | undefined {
  const projection = project(kind, docId, rows.map(({ op }) => op));
  if (projection === undefined) return undefined;
  const { doc } = projection;
  const survey = doc['survey'] as { id?: unknown } | null | undefined;
  const times = doc as { createdAt?: string; updatedAt?: string; updated?: string };
  return {
    id: docId,
    surveyId: kind === 'image' && typeof survey?.id === 'string' ? survey.id : '',
    isDeleted: projection.deleted,
    createdAt: times.createdAt ?? '',
    updatedAt: times.updatedAt ?? times.updated ?? '',
    doc: plain(doc),
    conflicts: projection.conflicts.map((conflict) => ({ ...conflict })),
  };
}

/** RxDB freezes and clones what it is given: it gets its own copy. */
function plain(doc: JsonObject): JsonObject {
  return structuredClone(doc);
}
