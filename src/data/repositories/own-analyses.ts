import type { AnalysisId, ImageId } from '../../domain/ids';
import { isObject } from '../../domain/json';
import { ownerIn } from '../../domain/policy/topic-policy';
import type { Parts } from './parts';
import { seenAll } from './parts';

/** Documents that are read at once. */
const PORTION = 100;

interface Known {
  readonly imageId: ImageId;
  readonly owner: string | null;
}

/** Which photographs were analysed on or for this tablet, and by whom: read once from the operations, then document by document as they change. */
export class OwnAnalyses {
  readonly #known = new Map<string, Known>();
  readonly #stale = new Set<string>();
  #reading: Promise<void> = Promise.resolve();
  readonly #stop: () => void;

  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { ledger } = parts;
    this.#staleAll();
    this.#stop = ledger.onChange((change) => {
      if (change.touched === 'everything') this.#staleAll();
      else
        for (const key of change.keys) if (key.startsWith('analysis/')) this.#stale.add(key.slice('analysis/'.length));
    });
  }

  close(): void {
    this.#stop();
  }

  /** Photographs that whoever is at the tablet analysed. */
  async images(): Promise<ReadonlySet<ImageId>> {
    await this.#follow();
    const { own } = this.#parts.sight;
    return new Set(
      [...this.#known.values()].flatMap(({ owner, imageId }) => (owner !== null && own.has(owner) ? imageId : [])),
    );
  }

  /** Their analyses of a photograph. */
  async of(imageId: ImageId): Promise<readonly AnalysisId[]> {
    await this.#follow();
    const { own } = this.#parts.sight;
    return [...this.#known].flatMap(([id, known]) =>
      known.imageId === imageId && known.owner !== null && own.has(known.owner) ? (id as AnalysisId) : [],
    );
  }

  #staleAll(): void {
    this.#known.clear();
    for (const { kind, docId } of this.#parts.ledger.entries.values()) if (kind === 'analysis') this.#stale.add(docId);
  }

  #follow(): Promise<void> {
    // One after the other: who asks second needs what the first one reads.
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#readStale());
    return this.#reading;
  }

  async #readStale(): Promise<void> {
    const parts = this.#parts;
    while (this.#stale.size > 0) {
      const some = [...this.#stale].slice(0, PORTION);
      const documents = await seenAll(parts, 'analysis', some);
      for (const id of some) {
        this.#stale.delete(id);
        this.#known.delete(id);
      }
      for (const { docId, folded } of documents) {
        const { image } = folded.doc;
        if (folded.deleted || !isObject(image) || typeof image['id'] !== 'string') continue;
        this.#known.set(docId, { imageId: image['id'] as ImageId, owner: ownerIn(folded.doc) });
      }
    }
  }
}
