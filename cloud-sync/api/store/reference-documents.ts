import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { JsonObject } from '../../../src/domain/json';
import type { ReferenceCollection } from './reference-reads';

/** PostgreSQL's error for a text that its binary JSON cannot hold (the character zero, a half one). */
const UNTRANSLATABLE = '22P05';

/**
 * Puts documents that no operation writes: staff's imports and what is computed ashore. One that is there is replaced.
 *
 * @throws ReefError `bad-message` for a text that cannot be kept; nothing of the list is stored then
 */
export async function putReferenceDocuments(pool: pg.Pool, collection: ReferenceCollection, documents: readonly (JsonObject & { readonly id: string })[]): Promise<void> {
  try {
    await pool.query({
      name: 'reference-put',
      text: `INSERT INTO reference_documents (collection, id, doc) SELECT $1, id, doc::jsonb FROM unnest($2::text[], $3::text[]) AS d(id, doc)
             ON CONFLICT (collection, id) DO UPDATE SET doc = excluded.doc, updated_at = now()`,
      values: [collection, documents.map(({ id }) => id), documents.map((document) => JSON.stringify(document))],
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNTRANSLATABLE) throw new ReefError('bad-message', { field: 'documents', message: 'A text holds a character that cannot be kept.' });
    throw error;
  }
}
