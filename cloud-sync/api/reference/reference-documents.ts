import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { JsonObject } from '../../../src/domain/json';
import type { ReferenceCollection } from '../reads/reference-reads';

type ReferenceDocument = JsonObject & { readonly id: string };

/** PostgreSQL error for text that jsonb cannot hold (U+0000, a lone surrogate). */
const UNTRANSLATABLE = '22P05';

/**
 * Writes documents that have no operations: staff imports and data computed ashore. Existing ones are replaced.
 *
 * @throws ReefError `bad-message` for text that cannot be stored; then nothing of the list is stored
 */
export async function putReferenceDocuments(
  pool: pg.Pool,
  collection: ReferenceCollection,
  documents: readonly ReferenceDocument[],
): Promise<void> {
  await putDocuments(pool, { name: 'reference-put', with: GIVEN_ROWS }, collection, documents);
}

/**
 * Replaces a whole collection in one statement.
 *
 * @throws ReefError `bad-message` for text that cannot be stored; the collection then stays as it was
 */
export async function replaceReferenceDocuments(
  pool: pg.Pool,
  collection: ReferenceCollection,
  documents: readonly ReferenceDocument[],
): Promise<void> {
  const gone =
    'gone AS (DELETE FROM reference_documents r WHERE r.collection = $1::text AND NOT EXISTS (SELECT 1 FROM given g WHERE g.id = r.id))';
  // The last of equal ids counts.
  await putDocuments(pool, { name: 'reference-replace', with: `${GIVEN_ROWS}, ${gone}` }, collection, [
    ...new Map(documents.map((document) => [document.id, document])).values(),
  ]);
}

const GIVEN_ROWS = 'given AS (SELECT id, doc::jsonb AS doc FROM unnest($2::text[], $3::text[]) AS d(id, doc))';

async function putDocuments(
  pool: pg.Pool,
  statement: { readonly name: string; readonly with: string },
  collection: ReferenceCollection,
  documents: readonly ReferenceDocument[],
): Promise<void> {
  try {
    await pool.query({
      name: statement.name,
      text: `WITH ${statement.with} INSERT INTO reference_documents (collection, id, doc) SELECT $1::text, id, doc FROM given
             ON CONFLICT (collection, id) DO UPDATE SET doc = excluded.doc, updated_at = now()`,
      values: [collection, documents.map(({ id }) => id), documents.map((document) => JSON.stringify(document))],
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
