/** Photographs, analyses and figures of a small census in a database, without the service around them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { ConsensusThread } from '../../../cloud-sync/api/consensus/thread/consensus-thread';
import type { FigureServices } from '../../../cloud-sync/api/consensus/open-figures';
import { openFigures } from '../../../cloud-sync/api/consensus/open-figures';
import { FigureQueue } from '../../../cloud-sync/api/consensus/queue/figure-queue';
import type { CloudDatabase } from '../../../cloud-sync/api/postgres/connect';
import { connectDatabase } from '../../../cloud-sync/api/postgres/connect';
import { PgAppendStore } from '../../../cloud-sync/api/store/pg-append-store';
import type { OutlineSet } from '../../../src/domain/analysis/labelling/outline';
import type { JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import { analysisOp, blobRef, imageOp, op, surveyOp } from '../../conformance/ops';
import { formBody, labelBody, outlineSet, predictedOutline, rectangle } from '../analyses';
import { testDatabase } from '../postgres/postgres';

export const REGION = 'gbr';
export const DATASET = 'Dataset000000001';
export const LABELS = ['branching', 'plating', 'massive', 'othercoral', 'structure'] as const;

/** Four outlines that cover the picture. */
export const OUTLINES: OutlineSet = outlineSet([
  predictedOutline('o1', 'branching', rectangle(0, 0, 0.5, 0.5)),
  predictedOutline('o2', 'plating', rectangle(0.5, 0, 1, 0.5)),
  predictedOutline('o3', 'massive', rectangle(0, 0.5, 0.5, 1)),
  predictedOutline('o4', 'structure', rectangle(0.5, 0.5, 1, 1)),
]);

interface SceneOptions {
  /** Database; by default a new one that `close` removes. */
  readonly databaseUrl?: string;
  readonly batchSize?: number;
  readonly isDemoMode?: boolean;
  readonly thread?: ConsensusThread;
}

export class FigureScene {
  #n = 0;
  /** Operations by document. */
  readonly #ops = new Map<string, readonly Op['opId'][]>();
  readonly #bodies = new Map<string, JsonObject>();

  private constructor(
    readonly database: CloudDatabase,
    readonly url: string,
    readonly store: PgAppendStore,
    readonly figures: FigureServices,
    readonly undo: readonly (() => unknown)[],
  ) {}

  static async open({ databaseUrl, batchSize, isDemoMode = false, thread }: SceneOptions = {}): Promise<FigureScene> {
    const folder = mkdtempSync(path.join(tmpdir(), 'reef-figures-'));
    const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
    let url = databaseUrl;
    if (url === undefined) {
      const test = await testDatabase();
      url = test.url;
      undo.push(() => test.close());
    }
    const database = await connectDatabase({ databaseUrl: url, home: folder, report: () => undefined, connections: 6 });
    undo.push(() => database.close());
    const signer = await ReceiptSigner.open(path.join(folder, 'receipt.json'));
    const store = await PgAppendStore.open({ database, signer, report: () => undefined });
    undo.push(() => store.close());
    const figures = openFigures({
      pool: database.pool,
      store,
      isDemoMode,
      publishMeta: () => Promise.resolve(),
      batchSize,
      thread,
      requestJob: () => Promise.resolve(),
      clock: Date.now,
      log: pino({ level: process.env['CLOUD_LOG'] ?? 'silent' }),
    });
    undo.push(() => figures.closeFigures());
    return new FigureScene(database, url, store, figures, undo);
  }

  /** Adds a dataset of the season 2025 to the reference data. */
  async addDataset(id = DATASET): Promise<void> {
    await this.database.pool.query(
      `INSERT INTO reference_documents (collection, id, doc) VALUES ('datasets', $1, $2) ON CONFLICT DO NOTHING`,
      [id, JSON.stringify({ id, regionId: REGION, shortName: 'GRC6', startDate: '2025-09-01', endDate: '2026-03-01' })],
    );
  }

  async addSurvey(docId: string, body: JsonObject = {}): Promise<string> {
    await this.append(surveyOp(++this.#n, { docId, opId: this.#opId(docId) }, body));
    return docId;
  }

  /** Stores the place of a survey, as region data do. */
  async place(surveyId: string, featureId: string | null, isPublic = true, datasets = [DATASET]): Promise<void> {
    await this.database.pool.query(
      `INSERT INTO survey_places (survey_id, region_id, feature_id, dataset_ids, is_public, images, day) VALUES ($1, $2, $3, $4, $5, 0, '2025-11-20')
       ON CONFLICT (survey_id) DO UPDATE SET feature_id = excluded.feature_id, is_public = excluded.is_public, dataset_ids = excluded.dataset_ids`,
      [surveyId, REGION, featureId, datasets, isPublic],
    );
  }

  async addImage(docId: string, survey: string): Promise<string> {
    const blob = blobRef(docId);
    const op = imageOp(++this.#n, docId, blob, { survey: { id: survey } }, { opId: this.#opId(docId) });
    this.#bodies.set(docId, op.body);
    await this.store.append(op, { by: 'Person0000000001' as never, blob });
    await this.store.setOwned('image', docId, { color_corrected: { token: 't', url: 'u' } });
    return docId;
  }

  /** Analyses a photograph. @param labels of the four outlines */
  async analyse(
    image: string,
    by: string,
    labels: readonly string[],
    {
      isExpert = false,
      isBad = false,
      id = analysisId(image, by),
      madeAt = '2026-11-20T00:00:01.000Z',
      version = 2.4,
    } = {},
  ): Promise<void> {
    const body = isBad
      ? formBody(by, {}, true)
      : labelBody(version, by, OUTLINES, Object.fromEntries(labels.map((label, i) => [`o${i + 1}`, label])));
    const op = analysisOp(
      ++this.#n,
      id,
      image,
      { ...body, id, image: { id: image }, user: { uid: by, isExpert } },
      { opId: this.#opId(id), madeAt },
    );
    this.#bodies.set(id, op.body);
    await this.store.append(op, { by: by as never, ...(isExpert ? { roles: ['isExpert' as const] } : {}) });
  }

  async append(op: Op): Promise<void> {
    this.#bodies.set(op.docId, op.body);
    await this.store.append(op, { by: (op.by ?? 'Person0000000001') as never });
  }

  /** Changes fields of a document by one operation that replaces all earlier ones. */
  async change(kind: 'survey' | 'image' | 'analysis', docId: string, fields: JsonObject): Promise<void> {
    const [earlier, before] = [this.#ops.get(docId) ?? [], this.#bodies.get(docId) ?? {}];
    const body = { ...before, ...fields };
    const replaced = kind === 'analysis' ? ['*'] : Object.keys(body).filter((field) => field !== 'id');
    const changed = op(++this.#n, kind, docId, body, {
      opId: this.#opId(docId),
      lc: earlier.length + 1,
      over: Object.fromEntries(replaced.map((field) => [field, earlier])),
    });
    await this.append(changed);
  }

  /**
   * Follows the feed and computes everything that is queued, also what waits for its time.
   *
   * @param isRenewed renews the skill between
   * @param onFigure called before each figure is computed
   */
  async settle(isRenewed = false, onFigure: (kind: string) => void = () => undefined): Promise<number> {
    if (isRenewed) {
      await this.settle(false, onFigure);
      onFigure('skill');
      await this.figures.skillVersions.renew();
    }
    await this.figures.figureFollower.caughtUp();
    const queue = new FigureQueue(this.database.pool);
    for (let count = 0; ; count++) {
      await this.database.pool.query(`UPDATE figures_changed SET not_before = '-infinity' WHERE not_before > now()`);
      const queued = await queue.next();
      if (queued === undefined) return count;
      if (count > 5000) throw new Error(`the figures do not settle: ${queued.kind} ${queued.key.join(' ')}`);
      onFigure(queued.kind);
      await this.figures.figureJobs.compute(queued);
    }
  }

  /** All figures as text, to compare those computed in different ways. */
  async figuresText(): Promise<string> {
    const tables = {
      photographs:
        'SELECT image_id, survey_id, skill, figure, detail, sheet, people, has_expert, bad FROM photograph_figures ORDER BY image_id',
      skills: 'SELECT version, sha256, model FROM skill_versions ORDER BY version',
      surveys: 'SELECT survey_id, region_id, feature_id, dataset_ids, figure FROM survey_figures ORDER BY survey_id',
      spreads: 'SELECT * FROM region_spreads ORDER BY region_id',
      reefs: 'SELECT * FROM reef_results ORDER BY region_id, dataset_id, feature_id',
      datasets: 'SELECT * FROM dataset_figures ORDER BY region_id, dataset_id',
      files: `SELECT path, sha256 FROM public_files WHERE path LIKE 'map/%/results.%' ORDER BY path`,
    };
    const all: string[] = [];
    for (const [name, text] of Object.entries(tables)) {
      const { rows } = await this.database.pool.query(text);
      all.push(name, ...rows.map((row) => JSON.stringify(row)));
    }
    return all.join('\n');
  }

  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.database.pool.query<Row>(text, [...values])).rows;
  }

  async close(): Promise<void> {
    for (const step of [...this.undo].reverse()) await step();
  }

  /** Operations of a test are written by many devices. */
  #opId(docId: string): Op['opId'] {
    const opId = `${docId}-${++this.#n}` as Op['opId'];
    this.#ops.set(docId, [...(this.#ops.get(docId) ?? []), opId]);
    return opId;
  }
}

export function analysisId(image: string, by: string): string {
  return `A${image.slice(-7)}${by.slice(-8)}`;
}
