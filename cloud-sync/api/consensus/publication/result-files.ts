import type pg from 'pg';
import { analystNumbers, answersCsv } from '../../../../src/domain/results/csv/answers-csv';
import { photographsCsv, readPhotographsCsv } from '../../../../src/domain/results/csv/photographs-csv';
import { reproduceFigures } from '../../../../src/domain/results/csv/reproduce-figures';
import { resultsCsv } from '../../../../src/domain/results/csv/results-csv';
import type { PooledSpread } from '../../../../src/domain/results/estimates/pooled-spread';
import { PRIOR_SPREAD } from '../../../../src/domain/results/estimates/pooled-spread';
import type { FeatureTable } from '../../../../src/domain/results/feature-table';
import type { ReefResult } from '../../../../src/domain/results/reef-result';
import { encodeReefResults } from '../../../../src/domain/results/tables/reef-results-file';
import { CSV_TYPE, JSON_TYPE, publishFile, readPublicFile } from '../../region-data/public-files';
import { exportedAnswers, exportedRows } from './exported-rows';
import type { FigureQueue, QueuedFigure } from '../queue/figure-queue';
import { firstPictureOf } from './first-picture-file';

interface ResultFilesOptions {
  readonly pool: pg.Pool;
  readonly queue: FigureQueue;
  /** Publishes the contents list of a region, the last of its files. */
  readonly publishMeta: (regionId: string) => Promise<void>;
}

/** Files of a release, as texts and values of one moment. */
interface ReleaseSnapshot {
  readonly photographs: string;
  readonly answers: string;
  readonly spread: PooledSpread;
  readonly results: readonly ReefResult[];
}

/** Publishes the results of a region below `/cdn/map/<region>`, and each release once. */
export class ResultFiles {
  readonly #options: ResultFilesOptions;

  constructor(options: ResultFilesOptions) {
    this.#options = options;
  }

  async publish(queued: QueuedFigure): Promise<void> {
    const { pool, queue, publishMeta } = this.#options;
    const [regionId = ''] = queued.key;
    const folder = `map/${regionId}`;
    const results = await this.#results(regionId);
    const table = await readTable(pool, regionId);
    await publishFile(pool, `${folder}/results.json`, JSON_TYPE, encodeReefResults(results));
    await publishFile(pool, `${folder}/results.csv`, CSV_TYPE, resultsCsv(results, table));
    const picture = await firstPictureOf(pool, table, results);
    if (picture !== null) await publishFile(pool, `${folder}/first.json`, JSON_TYPE, picture);
    await publishMeta(regionId);
    await this.#freeze(regionId, table);
    // Another change during publication queued it again; then the row stays.
    await queue.finish(queued, () => Promise.resolve());
  }

  async #results(
    regionId: string,
    client: pg.Pool | pg.ClientBase = this.#options.pool,
  ): Promise<readonly ReefResult[]> {
    const { rows } = await client.query<{ result: string }>(
      'SELECT result FROM reef_results WHERE region_id = $1 ORDER BY dataset_id, feature_id',
      [regionId],
    );
    return rows.map(({ result }) => JSON.parse(result) as ReefResult);
  }

  /**
   * Stores the files of releases that have none in this region yet; they never change.
   *
   * @throws Error while a reef of the region is put off after a failure: they would lack it for good
   */
  async #freeze(regionId: string, table: FeatureTable): Promise<void> {
    const { pool } = this.#options;
    const { rows } = await pool.query<{ number: number }>(
      `SELECT number FROM releases r WHERE NOT EXISTS (SELECT FROM public_files f WHERE f.path = 'map/' || $1 || '/releases/' || r.number || '/results.json') ORDER BY number`,
      [regionId],
    );
    if (rows.length === 0) return;
    const { rowCount: putOff } = await pool.query(
      `SELECT FROM figures_changed WHERE kind = 'reef' AND key::json ->> 0 = $1 AND not_before > now() LIMIT 1`,
      [regionId],
    );
    if (putOff !== 0) throw new Error('A reef of the region is computed again first; then its release is published.');
    const frozen = await this.#snapshot(regionId);
    if (frozen.results.length === 0) return;
    for (const { number } of rows) {
      const folder = `map/${regionId}/releases/${number}`;
      await publishFile(pool, `${folder}/photographs.csv`, CSV_TYPE, frozen.photographs);
      await publishFile(pool, `${folder}/answers.csv`, CSV_TYPE, frozen.answers);
      await publishFile(pool, `${folder}/spread.json`, JSON_TYPE, JSON.stringify(frozen.spread));
      await publishFile(pool, `${folder}/results.csv`, CSV_TYPE, resultsCsv(frozen.results, table));
      await publishFile(pool, `${folder}/results.json`, JSON_TYPE, encodeReefResults(frozen.results));
    }
  }

  /**
   * Rows of the released reefs with their results, at one moment.
   *
   * @throws Error if the rows do not reproduce the results: figures are changing, and it is tried again
   */
  async #snapshot(regionId: string): Promise<ReleaseSnapshot> {
    const client = await this.#options.pool.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { rows: exported, numbers } = await exportedRows(client, { regionId, isReleased: true });
      const given = await exportedAnswers(client, numbers);
      const analysts = analystNumbers(given);
      const photographs = photographsCsv(exported, analysts);
      const answers = answersCsv(given, analysts);
      const results = (await this.#results(regionId, client)).filter(({ versions }) => versions.release !== null);
      const { rows } = await client.query<{ spread: string }>(
        'SELECT spread FROM region_spreads WHERE region_id = $1',
        [regionId],
      );
      const spread = rows[0] === undefined ? PRIOR_SPREAD : (JSON.parse(rows[0].spread) as PooledSpread);
      const versions = new Map(results.map((result) => [`${result.datasetId} ${result.featureId}`, result.versions]));
      const read = readPhotographsCsv(photographs);
      const again = reproduceFigures(read, spread, { skill: 0, pipeline: 0, release: null }).results.map((result) => ({
        ...result,
        versions: versions.get(`${result.datasetId} ${result.featureId}`) ?? result.versions,
      }));
      if (encodeReefResults(again) !== encodeReefResults(results))
        throw new Error('The exported photographs do not reproduce the results of the release.');
      return { photographs, answers, spread, results };
    } finally {
      await client.query('ROLLBACK').catch(() => undefined);
      client.release();
    }
  }
}

/** Table of the region's features as published; without one, features have their ids alone. */
async function readTable(pool: pg.Pool, regionId: string): Promise<FeatureTable> {
  const file = await readPublicFile(pool, `map/${regionId}/features.json`);
  if (file !== undefined) return JSON.parse(file.body.toString('utf8')) as FeatureTable;
  return {
    version: 1,
    regionId,
    ids: [],
    gids: [],
    names: [],
    types: [],
    typeIndexes: [],
    longitudes: [],
    latitudes: [],
    bounds: [],
    surveyed: {},
  };
}
