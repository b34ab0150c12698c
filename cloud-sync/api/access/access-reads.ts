import type pg from 'pg';
import { profileTopic } from '../../../src/domain/policy/topic-policy';
import type { Grant } from './grants';

/** Returns which of `<subject> <topic>` have a grant. */
export async function loadGrants(pool: pg.Pool, keys: readonly string[]): Promise<Map<string, true>> {
  const parts = keys.map((key) => key.split(' '));
  const { rows } = await pool.query<{ subject: string; topic: string }>({
    name: 'grants-of-subjects',
    text: 'SELECT g.subject, g.topic FROM unnest($1::text[], $2::text[]) AS k(subject, topic) JOIN grants g ON g.subject = k.subject AND g.topic = k.topic',
    values: [parts.map(([subject]) => subject), parts.map(([, topic]) => topic)],
  });
  return new Map(rows.map(({ subject, topic }) => [`${subject} ${topic}`, true]));
}

/** Grants that let one person see all that another sees now, except their profile. */
export async function grantsMirroring(pool: pg.Pool, of: string, by: string): Promise<Grant[]> {
  const { rows } = await pool.query<{ topic: string }>('SELECT topic FROM grants WHERE subject = $1 AND topic <> $2', [
    `person:${of}`,
    profileTopic(of),
  ]);
  return rows.map(({ topic }) => ({ subject: `person:${by}`, topic }));
}

/**
 * Returns which of `<tablet> <person> <topic> <analysis>` have an accepted operation; `-` for no author, `*` for anyone
 * without an account. Of analyses only the named one counts: anyone may add them to an open survey.
 */
export async function loadAuthorship(pool: pg.Pool, keys: readonly string[]): Promise<Map<string, true>> {
  const parts = keys.map((key) => key.split(' '));
  const { rows } = await pool.query<{ key: string }>({
    name: 'feed-wrote-on',
    text: `SELECT k.key FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS k(key, tablet, person, topic, analysis, sig_key) WHERE EXISTS (
             SELECT FROM feed f JOIN ops o ON o.op_id = f.op_id
             WHERE f.topic = k.topic AND f.own AND f.repeats IS NULL AND f.device = k.tablet AND o.accepted
               AND (o.kind <> 'analysis' OR o.doc_id = k.analysis)
               AND (o.sig_key IS NULL OR o.sig_key = k.sig_key)
               AND CASE WHEN k.person = '*' THEN NOT EXISTS (SELECT FROM auth."user" u WHERE u."id" = o.by_person) ELSE o.by_person IS NOT DISTINCT FROM k.person END)`,
    values: [
      keys,
      parts.map(([tablet]) => tablet),
      parts.map(([, person]) => (person === '-' ? null : person)),
      parts.map(([, , topic]) => topic),
      parts.map(([, , , analysis]) => analysis),
      parts.map(([, , , , sigKey]) => sigKey),
    ],
  });
  return new Map(rows.map(({ key }) => [key, true]));
}

interface BlobReader {
  readonly person: string | null;
  readonly deviceId: string | null;
  readonly node: string | null;
}

/**
 * True if the reader uploaded the last byte, submitted a record that names the bytes, or may see an accepted record
 * that names them: by a grant for its survey or, for people and tablets, in one open to all who are signed in.
 */
export async function canReadBlob(
  pool: pg.Pool,
  sha256: string,
  { person, deviceId, node }: BlobReader,
  isBox: boolean,
): Promise<boolean> {
  const subjects = [
    ...(person === null ? [] : [`person:${person}`]),
    ...(deviceId === null ? [] : [`device:${deviceId}`]),
    ...(node === null ? [] : [`node:${node}`]),
  ];
  const { rows } = await pool.query<{ may: boolean }>({
    name: 'bytes-may-read',
    text: `SELECT EXISTS (SELECT FROM blob_bringers WHERE sha256 = $1 AND subject = ANY($2::text[])) OR EXISTS (
             SELECT FROM image_blobs b JOIN docs i ON i.kind = 'image' AND i.doc_id = b.image_id LEFT JOIN docs s ON s.kind = 'survey' AND s.doc_id = i.survey_id
             WHERE b.sha256 = $1 AND (
               (NOT $5::boolean AND NOT i.deleted AND s.private IS NOT TRUE)
               OR EXISTS (SELECT FROM grants g WHERE g.topic = i.survey_id AND g.subject = ANY($2::text[]))
               OR EXISTS (SELECT FROM ops o JOIN feed f ON f.seq = o.seq WHERE o.kind = 'image' AND o.doc_id = b.image_id AND (f.brought_device = $3 OR f.brought_node = $4)))) AS may`,
    values: [sha256, subjects, deviceId, node, isBox],
  });
  return rows[0]?.may === true;
}

/** True if a person uploaded the last byte, in their own name or on a tablet they registered. */
export async function uploadedBy(pool: pg.Pool, sha256: string, uid: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM blob_bringers b WHERE b.sha256 = $1 AND (b.subject = 'person:' || $2 OR b.subject IN (SELECT 'device:' || d.device_id FROM auth.device d WHERE d.registered_by = $2)) LIMIT 1`,
    [sha256, uid],
  );
  return (rowCount ?? 0) > 0;
}

export async function recordUploader(
  pool: pg.Pool,
  sha256: string,
  { person, deviceId, node }: BlobReader,
): Promise<void> {
  const subject =
    node !== null
      ? `node:${node}`
      : deviceId !== null
        ? `device:${deviceId}`
        : person !== null
          ? `person:${person}`
          : null;
  if (subject === null) return;
  await pool.query({
    name: 'blob-bringers-add',
    text: 'INSERT INTO blob_bringers (sha256, subject) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    values: [sha256, subject],
  });
}
