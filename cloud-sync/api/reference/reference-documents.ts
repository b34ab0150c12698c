import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { JsonObject } from '../../../src/domain/json';
import { datasetKey } from '../datasets/dataset-rows';
import type { ReferenceCollection } from '../reads/reference-reads';

type ReferenceDocument = JsonObject & { readonly id: string };

/** PostgreSQL error for text that jsonb cannot hold (U+0000, a lone surrogate). */
const UNTRANSLATABLE = '22P05';

/**
 * Replaces a whole collection of documents that have no operations (staff imports, data computed ashore) in one
 * statement.
 *
 * @throws ReefError `bad-message` for text that cannot be stored; the collection then stays as it was
 */
export async function replaceReferenceDocuments(
  pool: pg.Pool,
  collection: ReferenceCollection,
  documents: readonly ReferenceDocument[],
): Promise<void> {
  // The last of equal ids counts.
  const unique = [...new Map(documents.map((document) => [keyOf(collection, document), document])).entries()];
  try {
    await pool.query({
      name: 'reference-replace',
      text: `WITH given AS (SELECT id, doc::jsonb AS doc FROM unnest($2::text[], $3::text[]) AS d(id, doc)),
             gone AS (DELETE FROM reference_documents r WHERE r.collection = $1::text AND NOT EXISTS (SELECT 1 FROM given g WHERE g.id = r.id))
             INSERT INTO reference_documents (collection, id, doc) SELECT $1::text, id, doc FROM given
             ON CONFLICT (collection, id) DO UPDATE SET doc = excluded.doc, updated_at = now()`,
      values: [collection, unique.map(([key]) => key), unique.map(([, document]) => JSON.stringify(document))],
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNTRANSLATABLE)
      throw new ReefError('bad-message', {
        field: 'documents',
        message: 'A text contains a character that cannot be stored.',
      });
    throw error;
  }
}

/** Ids of datasets are unique within their region. */
function keyOf(collection: ReferenceCollection, { id, regionId }: ReferenceDocument): string {
  return collection === 'datasets' && typeof regionId === 'string' ? datasetKey(regionId, id) : id;
}
