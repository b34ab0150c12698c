import type pg from 'pg';
import type { Logger } from 'pino';
import type { OutlineSet } from '../../../src/domain/analysis/labelling/outline';
import { outlineCollection, parseOutlines } from '../../../src/domain/analysis/labelling/outline-collection';
import type { PgAppendStore } from '../store/pg-append-store';
import type { OutlineSizes } from '../../../src/protocol/outlines';
import { MODEL_SIZES } from '../../../src/protocol/outlines';
import type { MlQuestion, MlService } from './ml-service';

/** Folder under which outlines of the segmentation are stored: they are the same for every model. */
const OWN_DIR = '';
/** Time for which a service without outlines, or without an answer, is not asked again, ms. */
const NONE_MS = 10 * 60_000;
const FAILED_MS = 60_000;
/** Remembered photographs without outlines. */
const REMEMBERED_MAX = 10_000;

interface OutlinesOptions {
  readonly pool: pg.Pool;
  readonly store: Pick<PgAppendStore, 'setOwned'>;
  /** Null: outlines are those of the segmentation. */
  readonly service: MlService | null;
  /** Called after outlines of a photograph were stored. */
  readonly onStored?: (() => Promise<void>) | undefined;
  /** Time in ms that only goes forward. */
  readonly elapsed: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Outlines of photographs, stored as they were predicted; a model's once for each of its folders. */
export class Outlines {
  readonly #options: OutlinesOptions;
  /** Time until which a question has no answer, by photograph and folder. */
  readonly #unanswered = new Map<string, number>();
  readonly #asking = new Map<string, Promise<OutlineSet | null>>();

  constructor(options: OutlinesOptions) {
    this.#options = options;
  }

  /** True if a service predicts outlines, so that none are segmented. */
  get hasService(): boolean {
    return this.#options.service !== null;
  }

  /**
   * Finds a photograph's outlines: stored ones, else the service's, which are stored and marked with `ml`; null if there
   * are none.
   *
   * @param sizes of the request; a segmentation for others may be all that there is
   * @param isKnownDir false: the service is not asked, as anyone could make it search any number of folders
   */
  async find(question: MlQuestion, sizes: OutlineSizes, isKnownDir: boolean): Promise<OutlineSet | null> {
    const { imageId, dir } = question;
    const { service } = this.#options;
    if (service !== null) {
      const stored = await this.#stored(imageId, dir, MODEL_SIZES);
      if (stored !== null) return stored;
      const asked = isKnownDir ? await this.#askOnce(service, question) : null;
      if (asked !== null) return asked;
    }
    return this.#stored(imageId, OWN_DIR, sizes);
  }

  /** Stores outlines of the segmentation, and marks the photograph. @param sizes with which it was segmented */
  putSegmented(imageId: string, sizes: OutlineSizes, set: OutlineSet): Promise<void> {
    return this.#put(imageId, OWN_DIR, sizes, set);
  }

  /** Marks a photograph whose outlines are stored, after an interruption; false without any. */
  async markStored(imageId: string): Promise<boolean> {
    const { rowCount } = await this.#options.pool.query('SELECT FROM outlines WHERE image_id = $1 LIMIT 1', [imageId]);
    if (rowCount === 0) return false;
    await this.#markPhotograph(imageId);
    return true;
  }

  async #askOnce(service: MlService, question: MlQuestion): Promise<OutlineSet | null> {
    const key = `${question.imageId} ${question.dir}`;
    const { elapsed } = this.#options;
    if ((this.#unanswered.get(key) ?? -Infinity) > elapsed()) return null;
    const running = this.#asking.get(key);
    if (running !== undefined) return running;
    const asking = service
      .ask(question)
      .then(async (answer) => {
        if (typeof answer !== 'string') {
          await this.#put(question.imageId, question.dir, MODEL_SIZES, answer);
          return answer;
        }
        if (this.#unanswered.size >= REMEMBERED_MAX) this.#unanswered.clear();
        this.#unanswered.set(key, elapsed() + (answer === 'none' ? NONE_MS : FAILED_MS));
        return null;
      })
      .finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  /** Outlines for these sizes, else for the nearest ones. */
  async #stored(imageId: string, dir: string, { minSize, maxSize }: OutlineSizes): Promise<OutlineSet | null> {
    const { pool, log } = this.#options;
    const { rows } = await pool.query<{ collection: string }>({
      name: 'outlines-of',
      text: `SELECT collection FROM outlines WHERE image_id = $1 AND dir = $2
             ORDER BY (min_size <= $3 AND max_size >= $4) DESC, abs(min_size - $3), abs(max_size - $4) LIMIT 1`,
      values: [imageId, dir, minSize, maxSize],
    });
    const [row] = rows;
    if (row === undefined) return null;
    const parsed = parseOutlines(JSON.parse(row.collection));
    if (parsed.kind === 'outlines') return parsed.set;
    log.warn({ imageId, dir, reason: parsed.reason }, 'stored outlines cannot be read');
    return null;
  }

  async #put(imageId: string, dir: string, { minSize, maxSize }: OutlineSizes, set: OutlineSet): Promise<void> {
    await this.#options.pool.query(
      `INSERT INTO outlines (image_id, dir, min_size, max_size, collection) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (image_id, dir, min_size, max_size) DO UPDATE SET collection = excluded.collection`,
      [imageId, dir, minSize, maxSize, JSON.stringify(outlineCollection(set))],
    );
    await this.#markPhotograph(imageId);
  }

  async #markPhotograph(imageId: string): Promise<void> {
    const { store, onStored } = this.#options;
    await store.setOwned('image', imageId, { ml: true });
    await onStored?.();
  }
}
