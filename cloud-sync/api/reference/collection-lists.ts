import type pg from 'pg';
import { DATASET_ITEM, FEATURE_ITEM } from '../reads/region-items';
import { REFERENCE_COLLECTIONS } from '../reads/reference-reads';

/** List of a collection as JSON text, put together from its rows. */
interface CollectionList {
  readonly body: string;
  readonly storedAt: Date;
}

/** Reference data whose lists are put together from rows: imported ones, with those computed from them. */
export const COLLECTION_LISTS: readonly string[] = [...REFERENCE_COLLECTIONS, 'features'];

/** Text that changes whenever the list of features does. */
const FEATURES_STAMP = `SELECT concat_ws(' ', (SELECT max(id) FROM map_imports), (SELECT count(*) FROM map_features),
  (SELECT md5(string_agg(concat_ws(' ', region_id, dataset_id, feature_id, surveys, images), ',' ORDER BY region_id, dataset_id, feature_id)) FROM feature_counts),
  (SELECT md5(string_agg(concat_ws(' ', region_id, dataset_id, id), ',' ORDER BY region_id, dataset_id, id)) FROM dataset_links WHERE kind = 'feature'),
  (SELECT md5(string_agg(concat_ws(' ', id, doc ->> 'censusYear', deleted), ',' ORDER BY id)) FROM reference_documents WHERE collection = 'datasets')) AS stamp`;
const FEATURES = `SELECT '[' || string_agg((${FEATURE_ITEM})::text, ',' ORDER BY f.region_id, f.id) || ']' AS body,
  (SELECT coalesce(max(at), now()) FROM map_imports) AS "storedAt" FROM map_features f WHERE NOT f.deleted`;

/** Lists of collections, for boxes and apps that fetch them whole. */
export class CollectionLists {
  readonly #pool: pg.Pool;
  /** Last list of features: it has megabytes, and takes a second to put together. */
  #features: { readonly stamp: string; readonly list: CollectionList | undefined } | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** @returns undefined without a row */
  async get(name: string): Promise<CollectionList | undefined> {
    if (name === 'features') return this.#featureList();
    const item = name === 'datasets' ? DATASET_ITEM : 'd.doc';
    const { rows } = await this.#pool.query<{ body: string | null; storedAt: Date | null }>(
      `SELECT '[' || string_agg((${item})::text, ',' ORDER BY d.id) || ']' AS body, max(d.updated_at) AS "storedAt" FROM reference_documents d WHERE d.collection = $1`,
      [name],
    );
    return listOf(rows[0]);
  }

  async #featureList(): Promise<CollectionList | undefined> {
    const { rows: stamps } = await this.#pool.query<{ stamp: string }>(FEATURES_STAMP);
    const stamp = stamps[0]?.stamp ?? '';
    if (this.#features?.stamp !== stamp) {
      const { rows } = await this.#pool.query<{ body: string | null; storedAt: Date | null }>(FEATURES);
      this.#features = { stamp, list: listOf(rows[0]) };
    }
    return this.#features.list;
  }
}

function listOf(
  row: { readonly body: string | null; readonly storedAt: Date | null } | undefined,
): CollectionList | undefined {
  return row === undefined || row.body === null ? undefined : { body: row.body, storedAt: row.storedAt ?? new Date(0) };
}
