import type pg from 'pg';
import { splitOpId } from '../../../src/domain/ids';
import { LIMITS } from '../../../src/domain/limits';
import type { Op } from '../../../src/domain/op/op';
import type { ChangeEntry, ChangesPage } from '../../../src/protocol/changes';
import type { Receipt } from '../../../src/protocol/receipt';
import type { Topic } from '../../../src/domain/policy/topic-policy';
import type { ChangeScope } from '../../../src/server/ops/append-store';
import type { SubmitterIds, Subject } from '../access/grants';
import { parseRoles } from '../../../src/server/ops/author-roles';
import { personOnDeviceSubject } from './device-readers';
import type { WriteTransaction } from '../store/writer';

/** Receipt entering the feed, and its audience. */
interface FeedEntry {
  readonly seq: number;
  readonly receipt: Receipt;
  readonly own: boolean;
  readonly topic: Topic | null;
  /** Subject that sees it without a grant. */
  readonly subject: Subject | null;
  readonly submitter: SubmitterIds;
}

/** Adds entries, skipping known receipts of other nodes; returns the numbers added. */
export async function addFeedEntries(
  { client }: WriteTransaction,
  entries: readonly FeedEntry[],
): Promise<ReadonlySet<number>> {
  if (entries.length === 0) return new Set();
  const { rows } = await client.query<{ seq: number }>({
    name: 'feed-add',
    text: `INSERT INTO feed (seq, op_id, own, topic, subject, device, brought_device, brought_node, node_id, store_epoch, node_seq, receipt)
           SELECT * FROM unnest($1::bigint[], $2::text[], $3::boolean[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::text[])
           ON CONFLICT (op_id, node_id, store_epoch, node_seq) WHERE repeats IS NULL DO NOTHING RETURNING seq`,
    values: [
      entries.map(({ seq }) => seq),
      entries.map(({ receipt }) => receipt.opId),
      entries.map(({ own }) => own),
      entries.map(({ topic }) => topic),
      entries.map(({ subject }) => subject),
      entries.map(({ receipt }) => splitOpId(receipt.opId).deviceId),
      entries.map(({ submitter }) => submitter.device),
      entries.map(({ submitter }) => submitter.node),
      entries.map(({ receipt }) => receipt.nodeId),
      entries.map(({ receipt }) => receipt.storeEpoch),
      entries.map(({ receipt }) => receipt.seq),
      entries.map(({ receipt }) => JSON.stringify(receipt)),
    ],
  });
  return new Set(rows.map(({ seq }) => seq));
}

interface PageRow {
  readonly seq: number;
  readonly receipt: string;
  readonly op: string | null;
  readonly by_person: string | null;
  readonly author_roles: string | null;
}

/** Selects the content of chosen entries, up to the byte limit of a page, at least one entry. */
const SEND = `sized AS (
    SELECT p.seq, b.receipt, CASE WHEN p.whole THEN o.op END AS op, o.by_person, o.author_roles, row_number() OVER w AS place,
      sum(octet_length(b.receipt) + CASE WHEN p.whole THEN coalesce(octet_length(o.op), 0) ELSE 0 END) OVER w AS total
    FROM page p JOIN feed f ON f.seq = p.seq JOIN feed b ON b.seq = coalesce(f.repeats, f.seq) LEFT JOIN ops o ON f.own AND o.op_id = f.op_id
    WINDOW w AS (ORDER BY p.seq)
  )
  SELECT seq, receipt, op, by_person, author_roles FROM sized WHERE place = 1 OR total <= ${LIMITS.changesBytesMax} ORDER BY seq`;

const WHOLE_FEED = `WITH page AS (SELECT seq, true AS whole FROM feed WHERE seq > $1 AND repeats IS NULL ORDER BY seq LIMIT $2), ${SEND}`;

/**
 * Parameters: $3 subjects, $4 device, $5 box. Entries under a grant come whole, and so does what the device wrote and
 * submitted itself. What device or box only submitted comes as a receipt, since it has the rest. So does what others
 * submitted in the device's name: the first to register that name ashore need not be its author at sea.
 */
const SCOPED_FEED = `WITH hits AS (
    SELECT f.seq, ($5::text IS NULL OR f.brought_node IS DISTINCT FROM $5) AS whole FROM grants g
      CROSS JOIN LATERAL (SELECT seq, brought_node FROM feed WHERE topic = g.topic AND seq > greatest($1, g.seq) ORDER BY seq LIMIT $2) f
      WHERE g.subject = ANY($3::text[])
    UNION ALL (SELECT seq, true FROM feed WHERE subject = ANY($3::text[]) AND seq > $1 ORDER BY seq LIMIT $2)
    UNION ALL (SELECT seq, brought_device IS NOT DISTINCT FROM $4 FROM feed WHERE device = $4 AND repeats IS NULL AND seq > $1 ORDER BY seq LIMIT $2)
    UNION ALL (SELECT seq, false FROM feed WHERE brought_device = $4 AND seq > $1 ORDER BY seq LIMIT $2)
    UNION ALL (SELECT seq, false FROM feed WHERE brought_node = $5 AND seq > $1 ORDER BY seq LIMIT $2)
  ),
  page AS (SELECT seq, bool_or(whole) AS whole FROM hits GROUP BY seq ORDER BY seq LIMIT $2), ${SEND}`;

export async function readFeedPage(
  pool: pg.Pool,
  storeEpoch: string,
  query: { since: number; limit: number; scope?: ChangeScope },
): Promise<ChangesPage> {
  const limit = Math.max(1, Math.min(query.limit, LIMITS.changesMax));
  const { scope } = query;
  const { rows } =
    scope === undefined || scope.everything === true
      ? await pool.query<PageRow>({ name: 'feed-whole', text: WHOLE_FEED, values: [query.since, limit] })
      : await pool.query<PageRow>({
          name: 'feed-scoped',
          text: SCOPED_FEED,
          values: [query.since, limit, subjectsOf(scope), scope.deviceId, scope.node ?? null],
        });
  return { storeEpoch, entries: rows.map(entryOf), next: rows.at(-1)?.seq ?? query.since };
}

/** Subjects of a reader. Entries repeated for a person on one device are read on that device only. */
function subjectsOf({ person, deviceId, node }: ChangeScope): string[] {
  const subjects: string[] = [];
  if (person !== null) subjects.push(`person:${person}`);
  if (deviceId !== null) subjects.push(`device:${deviceId}`);
  if (person !== null && deviceId !== null) subjects.push(personOnDeviceSubject(person, deviceId));
  if (node !== undefined && node !== null) subjects.push(`node:${node}`);
  return subjects;
}

function entryOf(row: PageRow): ChangeEntry {
  const receipt = JSON.parse(row.receipt) as Receipt;
  if (row.op === null) return { seq: row.seq, receipt };
  const op = JSON.parse(row.op) as Op;
  return {
    seq: row.seq,
    op,
    receipt,
    ...(op.by === undefined && row.by_person !== null ? { by: row.by_person } : {}),
    ...(row.author_roles === null ? {} : { roles: parseRoles(row.author_roles) }),
  };
}
