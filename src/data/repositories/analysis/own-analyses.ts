import type { AnalysisId, ImageId } from '../../../domain/ids';
import { isObject } from '../../../domain/json';
import { recordOwner } from '../../../domain/policy/topic-policy';
import type { RepositoryContext } from '../repository-context';
import { readDocuments } from '../repository-context';

/** Documents read at once. */
const BATCH_SIZE = 100;

interface IndexedAnalysis {
  readonly imageId: ImageId;
  readonly owner: string | null;
}

/** Index of analysed photographs and their authors: read once from the operations, then per document on change. */
export class OwnAnalyses {
  readonly #index = new Map<string, IndexedAnalysis>();
  readonly #stale = new Set<string>();
  #reading: Promise<void> = Promise.resolve();
  readonly #stop: () => void;

  readonly #parts: RepositoryContext;

  constructor(parts: RepositoryContext) {
    this.#parts = parts;
    const { opIndex } = parts;
    this.#markAllStale();
    this.#stop = opIndex.onChange((change) => {
      if (change.kind === 'everything') this.#markAllStale();
      else
        for (const key of change.keys) if (key.startsWith('analysis/')) this.#stale.add(key.slice('analysis/'.length));
    });
  }

  close(): void {
    this.#stop();
  }

  async images(): Promise<ReadonlySet<ImageId>> {
    await this.#follow();
    const { ownIds } = this.#parts.access;
    return new Set(
      [...this.#index.values()].flatMap(({ owner, imageId }) => (owner !== null && ownIds.has(owner) ? imageId : [])),
    );
  }

  async ofImage(imageId: ImageId): Promise<readonly AnalysisId[]> {
    await this.#follow();
    const { ownIds } = this.#parts.access;
    return [...this.#index].flatMap(([id, known]) =>
      known.imageId === imageId && known.owner !== null && ownIds.has(known.owner) ? (id as AnalysisId) : [],
    );
  }

  #markAllStale(): void {
    this.#index.clear();
    for (const { kind, docId } of this.#parts.opIndex.entries.values()) if (kind === 'analysis') this.#stale.add(docId);
  }

  #follow(): Promise<void> {
    // Serialised: a second caller needs what the first one reads.
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#readStale());
    return this.#reading;
  }

  async #readStale(): Promise<void> {
    const parts = this.#parts;
    while (this.#stale.size > 0) {
      const some = [...this.#stale].slice(0, BATCH_SIZE);
      const documents = await readDocuments(parts, 'analysis', some);
      for (const id of some) {
        this.#stale.delete(id);
        this.#index.delete(id);
      }
      for (const { docId, folded } of documents) {
        const { image } = folded.doc;
        if (folded.deleted || !isObject(image) || typeof image['id'] !== 'string') continue;
        this.#index.set(docId, { imageId: image['id'] as ImageId, owner: recordOwner(folded.doc) });
      }
    }
  }
}
