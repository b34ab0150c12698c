import { isObject } from '../../domain/json';
import type { Op, OpKind } from '../../domain/op/op';
import { docKeyOf } from '../../domain/op/op';
import type { DocumentSelector, ReadDoc } from './read-model';
import { Emitter } from '../../base/emitter';
import type { OpRow } from '../ops/database';
import type { OpIndex, OpIndexChange } from '../ops/op-index';
import type { OpsStore } from '../ops/ops-store';
import { readDocOf, rowsByDocument } from './read-doc';
import { readSegments } from '../ops/segments';
import { effectiveOps } from '../ops/effective-ops';
import { findWholeDocuments } from './whole-documents';

function foldedDocumentOf(unprojected: UnprojectedDocument): ReadDoc | undefined {
  unprojected.document ??= readDocOf(unprojected.kind, unprojected.docId, unprojected.rows);
  return unprojected.document;
}

function surveyOf({ body }: Op): unknown {
  const survey = body['survey'];
  return isObject(survey) ? survey['id'] : undefined;
}

type DocRef = readonly [OpKind, string];

/**
 * Maximum number of segments in memory, oldest first, about 150 KB each: all of them are pending while the read model
 * is rebuilt.
 */
export const SEGMENTS_IN_MEMORY_MAX = 1500;
/** Segments read together, and partly stored documents folded together. */
const READ_BATCH = 64;

interface UnprojectedDocument {
  readonly kind: OpKind;
  readonly docId: string;
  /** Segment with its latest operation. */
  readonly segment: number;
  /** Its effective operations; none: it is not shown. */
  readonly rows: readonly OpRow[];
  /** Folded document, computed on first use. */
  document?: ReadDoc | undefined;
}

/** Changed kinds, and the documents that the read model shows from now on. */
export interface UnprojectedChange {
  readonly kinds: ReadonlySet<OpKind>;
  /** Documents of a kind that someone had read here. */
  readonly projected: (kind: OpKind) => readonly ReadDoc[];
}

/**
 * Documents of segments that the read model does not show yet (`behind`), in memory in every tab: they are listed as
 * soon as they are stored, while the far more expensive read model waits until the feed is read. Nothing depends on it:
 * the next start finds the same marks.
 */
export class UnprojectedDocuments {
  readonly changed = new Emitter<UnprojectedChange>();
  readonly #documents = new Map<string, UnprojectedDocument>();
  readonly #segments = new Set<number>();
  #following: Promise<void> = Promise.resolve();
  #closed = false;
  #stops: readonly (() => void)[] = [];

  readonly #store: OpsStore;
  readonly #opIndex: OpIndex;

  constructor(store: OpsStore, opIndex: OpIndex) {
    this.#store = store;
    this.#opIndex = opIndex;
  }

  start(): void {
    const store = this.#store;
    const opIndex = this.#opIndex;
    this.#stops = [
      store.watch(
        () => store.db.behind.toCollection().primaryKeys(),
        (keys) => this.#enqueue(() => this.#followTo(keys)),
      ),
      opIndex.onChange((change) => this.#enqueue(() => this.#follow(change))),
    ];
  }

  close(): void {
    this.#closed = true;
    this.#stops.forEach((stop) => stop());
  }

  /** Current documents of a kind that a selector may match; folded on demand. */
  find(kind: OpKind, { id, surveyId }: DocumentSelector): readonly ReadDoc[] {
    const found: ReadDoc[] = [];
    const some = id === undefined ? this.#documents.values() : [this.#documents.get(docKeyOf(kind, id))];
    for (const unprojected of some) {
      if (
        unprojected?.kind !== kind ||
        (surveyId !== undefined && !unprojected.rows.some(({ op }) => surveyOf(op) === surveyId))
      )
        continue;
      const document = foldedDocumentOf(unprojected);
      if (document !== undefined) found.push(document);
    }
    return found;
  }

  /** Settles when everything known by now is folded. */
  settle(): Promise<void> {
    return this.#following;
  }

  #enqueue(work: () => Promise<void>): void {
    this.#following = this.#following
      .then(() => (this.#closed ? undefined : work()))
      .catch((error: unknown) => {
        if (!this.#closed)
          this.#store.host.log.note(
            'error',
            'New documents could not be read; they appear once the read model has them.',
            { error: String(error) },
          );
      });
  }

  async #followTo(behind: readonly number[]): Promise<void> {
    const keys = behind.slice(0, SEGMENTS_IN_MEMORY_MAX);
    const now = new Set(keys);
    const added = keys.filter((key) => !this.#segments.has(key));
    const kinds = new Set<OpKind>();
    const projected: UnprojectedDocument[] = [];
    for (const key of this.#segments) if (!now.has(key)) this.#segments.delete(key);
    for (const [key, unprojected] of this.#documents) {
      if (now.has(unprojected.segment)) continue;
      this.#documents.delete(key);
      kinds.add(unprojected.kind);
      projected.push(unprojected);
    }
    try {
      if (added.length > 0) {
        await this.#opIndex.follow();
        for (const kind of await this.#foldSegments(added)) kinds.add(kind);
        // Only now, so that unreadable segments are read again at the next change.
        for (const key of added) this.#segments.add(key);
      }
    } finally {
      if (kinds.size > 0)
        this.changed.emit({
          kinds,
          projected: (kind) =>
            projected.flatMap((unprojected) => (unprojected.kind === kind ? (unprojected.document ?? []) : [])),
        });
    }
  }

  /**
   * Folds the documents of these segments; those with operations elsewhere too (edits of known documents) from
   * everything stored.
   */
  async #foldSegments(keys: readonly number[]): Promise<ReadonlySet<OpKind>> {
    const store = this.#store;
    const kinds = new Set<OpKind>();
    for (let i = 0; i < keys.length; i += READ_BATCH) {
      const some = keys.slice(i, i + READ_BATCH);
      const { documents, rows, segmentOf, partial } = findWholeDocuments(
        this.#opIndex,
        await store.run(() => readSegments(store, some)),
      );
      const segment = (key: string): number => segmentOf.get(key) ?? 0;
      this.#addAll(documents, rows, segment);
      for (let j = 0; j < partial.length; j += READ_BATCH) {
        const few = partial.slice(j, j + READ_BATCH);
        this.#addAll(few, await effectiveOps(store, few), segment);
      }
      for (const [kind] of [...documents, ...partial]) kinds.add(kind);
    }
    return kinds;
  }

  #addAll(documents: readonly DocRef[], rows: readonly OpRow[], segmentOf: (key: string) => number): void {
    const of = rowsByDocument(rows);
    for (const [kind, docId] of documents) {
      const key = docKeyOf(kind, docId);
      this.#documents.set(key, { kind, docId, segment: segmentOf(key), rows: of.get(key) ?? [] });
    }
  }

  /** Refolds documents that have a later operation or receipt. */
  async #follow(change: OpIndexChange): Promise<void> {
    const kinds =
      change.kind === 'everything'
        ? await this.#foldSegments([...this.#segments])
        : await this.#refold([...change.keys].flatMap((key) => this.#changedDocument(key) ?? []));
    if (kinds.size > 0) this.changed.emit({ kinds, projected: () => [] });
  }

  /** Returns the document if it has more operations or receipts than were folded. */
  #changedDocument(key: string): readonly DocRef[] | undefined {
    const unprojected = this.#documents.get(key);
    if (unprojected === undefined) return undefined;
    const { kind, docId, segment } = unprojected;
    const entries = this.#opIndex.entriesOf(kind, docId);
    const isAsFolded = entries.every(
      (entry) => entry.segment === segment && this.#opIndex.receipts(entry.opId).every(({ accepted }) => accepted),
    );
    return isAsFolded ? undefined : [[kind, docId]];
  }

  /** Refolds those of these documents that are unprojected, from everything stored. */
  async #refold(documents: readonly DocRef[]): Promise<ReadonlySet<OpKind>> {
    const among = documents.filter(([kind, docId]) => this.#documents.has(docKeyOf(kind, docId)));
    if (among.length === 0) return new Set();
    const rows = await effectiveOps(this.#store, among);
    this.#addAll(among, rows, (key) => this.#documents.get(key)?.segment ?? 0);
    return new Set(among.map(([kind]) => kind));
  }
}
