import { isObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import type { WriteTransaction } from './writer';

/** Who may see a topic: a person, a device, or a box. */
export type Subject = `person:${string}` | `device:${string}` | `node:${string}`;

/** What is seen together: a survey (its id) with its images and analyses, or a person's profile. */
export type Topic = string;

export interface Grant {
  readonly subject: Subject;
  readonly topic: Topic;
}

/** Who brought an operation; both null: a person's session. */
export interface Bringer {
  readonly device: string | null;
  readonly node: string | null;
}

/** The topic that an operation belongs to; null where it says none. */
export function topicOf(op: Op): Topic | null {
  switch (op.kind) {
    case 'profile':
      return profileTopic(op.docId);
    case 'survey':
      return op.docId;
    case 'image':
    case 'analysis': {
      const { survey } = op.body;
      return isObject(survey) ? id(survey['id']) : null;
    }
  }
}

export function profileTopic(uid: string): Topic {
  return `profile:${uid}`;
}

/**
 * Who sees a topic because of an accepted operation: the person who wrote it (they took part), the person whom the record
 * belongs to, and the box that brought it.
 */
export function grantsOf(op: Op, by: string | null, bringer: Bringer): Grant[] {
  const topic = topicOf(op);
  if (topic === null) return [];
  const people = op.kind === 'profile' ? [op.docId] : [by, isObject(op.body['user']) ? id(op.body['user']['uid']) : null];
  const subjects = new Set<Subject>();
  for (const person of people) if (person !== null) subjects.add(`person:${person}`);
  if (bringer.node !== null) subjects.add(`node:${bringer.node}`);
  return [...subjects].map((subject) => ({ subject, topic }));
}

/** Ids of people and boxes as every node takes them; anything else in a body's place for one is nobody. */
function id(value: unknown): string | null {
  return typeof value === 'string' && /^[0-9A-Za-z]{12,19}$/.test(value) ? value : null;
}

/**
 * Gives grants, each once. What a topic holds already is repeated in the feed for the new reader, with new numbers, so that
 * it comes after whatever they have read, however old it is. Gives how many were new.
 */
export async function giveGrants({ client, start, take, added }: WriteTransaction, grants: readonly Grant[]): Promise<number> {
  const each = [...new Map(grants.map((grant) => [`${grant.subject} ${grant.topic}`, grant])).values()].sort(byText);
  if (each.length === 0) return 0;
  const { rows } = await client.query<Grant>({
    name: 'grants-give',
    text: `INSERT INTO grants (subject, topic, seq) SELECT subject, topic, $3::bigint FROM unnest($1::text[], $2::text[]) AS g(subject, topic)
           ON CONFLICT DO NOTHING RETURNING subject, topic`,
    values: [each.map(({ subject }) => subject), each.map(({ topic }) => topic), start],
  });
  if (rows.length === 0) return 0;
  const first = take(0);
  const { rowCount } = await client.query({
    name: 'grants-repeat',
    text: `INSERT INTO feed (seq, repeats, op_id, own, subject, device, brought_device, brought_node, node_id, store_epoch, node_seq)
           SELECT $4::bigint - 1 + row_number() OVER (ORDER BY g.subject, f.seq), f.seq, f.op_id, f.own, g.subject, f.device, NULL, NULL, f.node_id, f.store_epoch, f.node_seq
           FROM unnest($1::text[], $2::text[]) AS g(subject, topic) JOIN feed f ON f.topic = g.topic
           WHERE f.seq <= $3::bigint AND f.own AND f.repeats IS NULL AND ('node:' || f.brought_node) IS DISTINCT FROM g.subject`,
    values: [rows.map(({ subject }) => subject), rows.map(({ topic }) => topic), start, first],
  });
  const repeated = rowCount ?? 0;
  if (repeated > 0) added.push({ seq: take(repeated) + repeated - 1 });
  return rows.length;
}

function byText(a: Grant, b: Grant): number {
  const [one, other] = [`${a.subject} ${a.topic}`, `${b.subject} ${b.topic}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
