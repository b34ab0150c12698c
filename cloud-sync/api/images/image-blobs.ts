import type pg from 'pg';
import type { Sha256 } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import { blobOf, blobRefSchema } from '../../../src/protocol/receipt';
import type { BlobRef } from '../../../src/protocol/receipt';
import type { RecordedBlob } from '../../../src/server/ops/append-store';

/** Records which bytes accepted image records name, and that they are stored. */
export async function recordBlobs(
  client: pg.ClientBase,
  jobs: readonly { readonly op: Op; readonly facts: { readonly blob?: BlobRef } }[],
): Promise<void> {
  const named = new Map<string, { id: string; blob: BlobRef; here: boolean }>();
  for (const { op, facts } of jobs) {
    const blob = op.kind === 'image' ? (facts.blob ?? blobOf(op)) : undefined;
    // A record released from quarantine may name bytes that can never exist.
    if (blob === undefined || !blobRefSchema.safeParse(blob).success) continue;
    const key = `${op.docId} ${blob.sha256}`;
    named.set(key, { id: op.docId, blob, here: facts.blob !== undefined || named.get(key)?.here === true });
  }
  const rows = [...named.values()];
  if (rows.length === 0) return;
  await client.query({
    name: 'image-blobs-record',
    text: `INSERT INTO image_blobs (image_id, sha256, bytes, here) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::boolean[])
           ON CONFLICT (image_id, sha256) DO UPDATE SET here = image_blobs.here OR excluded.here, lost = image_blobs.lost AND NOT excluded.here`,
    values: [
      rows.map(({ id }) => id),
      rows.map(({ blob }) => blob.sha256),
      rows.map(({ blob }) => blob.bytes),
      rows.map(({ here }) => here),
    ],
  });
}

export async function loadRecordedBlobs(
  pool: pg.Pool,
  imageIds: readonly string[],
): Promise<Map<string, RecordedBlob[]>> {
  const { rows } = await pool.query<{ image_id: string; sha256: Sha256; bytes: number; lost: boolean }>({
    name: 'image-blobs-of',
    text: 'SELECT image_id, sha256, bytes, lost FROM image_blobs WHERE image_id = ANY($1::text[]) ORDER BY image_id, sha256',
    values: [imageIds],
  });
  const found = new Map<string, RecordedBlob[]>();
  for (const { image_id: id, sha256, bytes, lost } of rows)
    found.set(id, [...(found.get(id) ?? []), { sha256, bytes, ...(lost ? { lost: true as const } : {}) }]);
  return found;
}

/** Bytes that records count as stored, for the check at start and the slow scrub, in pages by hash. */
export async function loadExpectedBlobs(pool: pg.Pool, after: string, limit: number): Promise<BlobRef[]> {
  const { rows } = await pool.query<{ sha256: Sha256; bytes: number }>(
    'SELECT DISTINCT sha256, bytes FROM image_blobs WHERE here AND sha256 > $1 ORDER BY sha256 LIMIT $2',
    [after, limit],
  );
  return rows;
}

export async function markBlobLost(pool: pg.Pool, sha256: string): Promise<number> {
  const { rowCount } = await pool.query('UPDATE image_blobs SET here = false, lost = true WHERE sha256 = $1', [sha256]);
  return rowCount ?? 0;
}

/** True if bytes were recorded as lost and have not been restored. */
export async function isBlobLost(pool: pg.Pool, sha256: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'image-blobs-lost',
    text: 'SELECT 1 FROM image_blobs WHERE sha256 = $1 AND lost LIMIT 1',
    values: [sha256],
  });
  return rowCount === 1;
}

export async function markBlobRestored(pool: pg.Pool, sha256: string): Promise<number> {
  const { rowCount } = await pool.query('UPDATE image_blobs SET here = true, lost = false WHERE sha256 = $1 AND lost', [
    sha256,
  ]);
  return rowCount ?? 0;
}
