import type { Op } from '../../../src/domain/op/op';
import type { Topic } from '../../../src/domain/policy/topic-policy';
import { accessGrantees, topicOf } from '../../../src/domain/policy/topic-policy';
import type { WriteTransaction } from '../store/writer';

export type Subject = `person:${string}` | `device:${string}` | `node:${string}`;

export interface Grant {
  readonly subject: Subject;
  readonly topic: Topic;
}

/** Ids of an operation's submitter; both null for a person's session. */
export interface SubmitterIds {
  readonly device: string | null;
  readonly node: string | null;
}

/**
 * Grants for an accepted operation: to the people it gives access to, and to the box that submitted it, unless it is an
 * analysis, which anyone may add to an open survey.
 *
 * @param sees the people; by default those of an operation released by staff
 */
export function grantsOf(
  op: Op,
  by: string | null,
  submitter: SubmitterIds,
  sees: readonly string[] = accessGrantees(op, { by, vouched: true, byStaff: true }),
): Grant[] {
  const topic = topicOf(op);
  if (topic === null) return [];
  const subjects = new Set<Subject>(sees.map((person): Subject => `person:${person}`));
  if (submitter.node !== null && op.kind !== 'analysis') subjects.add(`node:${submitter.node}`);
  return [...subjects].map((subject) => ({ subject, topic }));
}

/**
 * Adds grants, each once. A topic's existing entries are repeated in the feed under new numbers, so that they come
 * after the new reader's cursor. Returns the number of new grants.
 */
export async function addGrants(
  { client, start, nextSeq, newEntries }: WriteTransaction,
  grants: readonly Grant[],
): Promise<number> {
  const byKey = new Map(grants.map((grant) => [`${grant.subject} ${grant.topic}`, grant]));
  const each = [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, grant]) => grant);
  if (each.length === 0) return 0;
  const { rows } = await client.query<Grant>({
    name: 'grants-give',
    text: `INSERT INTO grants (subject, topic, seq) SELECT subject, topic, $3::bigint FROM unnest($1::text[], $2::text[]) AS g(subject, topic)
           ON CONFLICT DO NOTHING RETURNING subject, topic`,
    values: [each.map(({ subject }) => subject), each.map(({ topic }) => topic), start],
  });
  if (rows.length === 0) return 0;
  const first = nextSeq(0);
  const { rowCount } = await client.query({
    name: 'grants-repeat',
    text: `INSERT INTO feed (seq, repeats, op_id, own, subject, device, brought_device, brought_node, node_id, store_epoch, node_seq)
           SELECT $4::bigint - 1 + row_number() OVER (ORDER BY g.subject, f.seq), f.seq, f.op_id, f.own, g.subject, f.device, NULL, NULL, f.node_id, f.store_epoch, f.node_seq
           FROM unnest($1::text[], $2::text[]) AS g(subject, topic) JOIN feed f ON f.topic = g.topic
           WHERE f.seq <= $3::bigint AND f.own AND f.repeats IS NULL AND ('node:' || f.brought_node) IS DISTINCT FROM g.subject`,
    values: [rows.map(({ subject }) => subject), rows.map(({ topic }) => topic), start, first],
  });
  const repeated = rowCount ?? 0;
  if (repeated > 0) newEntries.push({ seq: nextSeq(repeated) + repeated - 1 });
  return rows.length;
}
