// Rival: the same statements behind a bare Fastify handler without authentication, which returns PostgreSQL's rows
// unchanged, or shaped as the service does where PostgreSQL cannot.
import fastify from 'fastify';
import pg from 'pg';
import { documentReads } from '../../../cloud-sync/api/reads/document-reads';
import type { ReadDefinition, Reader } from '../../../cloud-sync/api/reads/read-definition';
import { regionReads } from '../../../cloud-sync/api/reads/region-reads';
import { resultReads } from '../../../cloud-sync/api/reads/result-reads';
import type { JsonObject } from '../../../src/domain/json';
import { announce } from './ready';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const reader: Reader = { person: null, node: null, isSignedIn: true, isStaff: false };
const app = fastify();
/** Page of a read that is asked for without a limit. */
const PAGES: Readonly<Record<string, number>> = { 'surveyed-reefs': 10, 'surveys-of-location': 10 };
const READS = { ...documentReads, ...regionReads, ...resultReads };
for (const name of [
  'images-by-survey',
  'surveys',
  'dataset',
  'dataset-stats',
  'surveyed-reefs',
  'feature',
  'surveys-of-location',
  'reef-results',
  'image-consensus',
]) {
  const read = READS[name];
  if (read === undefined) throw new Error(`there is no read ${name}`);
  const { shape } = read;
  app.get<{ Querystring: Record<string, string> }>(`/api/query/${name}`, async ({ query }, reply) => {
    const { rows } = await pool.query<{ answer: string }>(
      read.statement({ ...query, limit: Number(query['limit'] ?? PAGES[name] ?? 1000) }, reader),
    );
    const answer = rows[0]?.answer ?? '';
    return reply.type('application/json; charset=utf-8').send(shape === undefined ? answer : shaped(answer, shape));
  });
}
/** Answer whose items are built here, as PostgreSQL cannot. */
function shaped(answer: string, shape: NonNullable<ReadDefinition['shape']>): string {
  const { items, ...rest } = JSON.parse(answer) as { readonly items: readonly JsonObject[] };
  return JSON.stringify({ ...rest, items: items.flatMap((item) => shape(item, undefined) ?? []) });
}

await app.ready();
announce(app.server);
