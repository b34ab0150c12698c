import { project } from '../../domain/fold/project';
import type { JsonObject } from '../../domain/json';
import type { OpKind } from '../../domain/op/op';
import type { ReadDoc, ReadModel } from '../db/read-model';
import type { DirtyRow, OpRow } from './database';
import type { OpsStore } from './ops-store';
import { opsOf } from './take-in';

/**
 * Writes the read model from the operations; its only writer. Each write of operations leaves a `dirty` mark in its own
 * transaction, which goes away once the document is projected: a tab that dies in between is made up for at the next start.
 */
export class Projector {
  private readonly store: OpsStore;
  private readonly model: Promise<ReadModel>;
  private working: Promise<void> = Promise.resolve();
  private stopWatching: (() => void) | undefined;
  private closed = false;

  constructor(store: OpsStore, model: Promise<ReadModel>) {
    this.store = store;
    this.model = model;
  }

  /** Projects all that is newer than the read model, then whatever any tab writes. */
  async start(): Promise<void> {
    const { token } = await this.model;
    if ((await this.store.fact('readModel')) !== token) {
      await this.markAll();
      await this.store.setFact('readModel', token);
    }
    await this.settle();
    this.stopWatching = this.store.watch(
      () => this.store.db.dirty.count(),
      (count) => {
        if (count > 0) void this.settle().catch((error: unknown) => this.store.host.log.note('error', 'Projecting failed.', { error: String(error) }));
      },
    );
  }

  /** Works off the dirty marks there are; settles when those are done. */
  settle(): Promise<void> {
    const next = this.working.then(() => this.workOff());
    this.working = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.stopWatching?.();
    await this.working;
  }

  private async workOff(): Promise<void> {
    const { collections } = await this.model;
    const { db } = this.store;
    for (const mark of await this.store.run(() => db.dirty.toArray())) {
      if (this.closed) return;
      const rows = await opsOf(this.store, mark.kind, mark.docId);
      await write(collections[mark.kind], mark, rows);
      await this.store.run(() =>
        db.transaction('rw', db.dirty, async () => {
          // A mark that grew meanwhile stays: there is something newer to project.
          if ((await db.dirty.get([mark.kind, mark.docId]))?.arrival === mark.arrival) await db.dirty.delete([mark.kind, mark.docId]);
        }),
      );
    }
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

async function write(collection: ReadModel['collections'][OpKind], { kind, docId, arrival }: DirtyRow, rows: readonly OpRow[]): Promise<void> {
  const next = readDocOf(kind, docId, rows, arrival);
  const existing = await collection.findOne(docId).exec();
  if (next === undefined) {
    await existing?.incrementalRemove();
    return;
  }
  if (existing === null) {
    await collection.incrementalUpsert(next);
    return;
  }
  await existing.incrementalModify((held) => (held.upTo > next.upTo ? held : { ...held, ...next }));
}

function readDocOf(kind: OpKind, docId: string, rows: readonly OpRow[], marked: number): ReadDoc | undefined {
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
    upTo: Math.max(marked, ...rows.map(({ arrival }) => arrival)),
    doc: plain(doc),
    conflicts: projection.conflicts.map((conflict) => ({ ...conflict })),
  };
}

/** RxDB freezes and clones what it is given: it gets its own copy. */
function plain(doc: JsonObject): JsonObject {
  return structuredClone(doc);
}
