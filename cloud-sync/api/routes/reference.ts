import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../../src/domain/errors';
import { checkJson } from '../../../src/domain/json';
import { referenceNameSchema } from '../../../src/protocol/edge-http';
import { parseInput } from '../../../src/server/parse';
import type { CloudContext } from '../context';

const BODY_LIMIT = 64 * 1024 * 1024;

/** Reference data: put by staff, fetched by bridges and apps. An unchanged one is not sent again. */
export function referenceRoutes(app: FastifyInstance, context: CloudContext): void {
  app.get('/api/reference', async (_request, reply) => reply.header('Cache-Control', 'no-cache').send({ ok: true, references: await context.reference.names() }));

  app.get<{ Params: { name: string } }>('/api/reference/:name', async (request, reply) => {
    const name = parseInput(referenceNameSchema, request.params.name, 'name');
    const row = await context.reference.get(name);
    if (row === undefined) throw new ReefError('not-found', { name });
    reply.header('ETag', row.etag).header('Cache-Control', 'no-cache').header('Last-Modified', row.storedAt.toUTCString());
    if (request.headers['if-none-match']?.split(/\s*,\s*/).includes(row.etag) === true) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(row.body);
  });

  app.put<{ Params: { name: string } }>('/api/reference/:name', { bodyLimit: BODY_LIMIT }, async (request) => {
    const name = parseInput(referenceNameSchema, request.params.name, 'name');
    if (request.body === undefined) throw new ReefError('bad-message', { field: 'body', message: 'The body must be JSON.' });
    checkJson(request.body, 'body');
    const { etag, storedAt } = await context.reference.put(name, request.body);
    return { ok: true, name, etag, storedAt: storedAt.toISOString() };
  });
}
