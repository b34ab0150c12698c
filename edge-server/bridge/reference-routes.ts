import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../src/domain/errors';
import { checkJson } from '../../src/domain/json';
import { decideEdge, edgePolicyRow } from '../../src/domain/policy/edge-policy';
import { referenceNameSchema } from '../../src/protocol/edge-http';
import type { EdgeContext } from '../context';
import { isoNow } from '../context';
import { hasEtag } from '../../src/server/http/conditional';
import { parseInput } from '../../src/server/http/parse';
import { REVOCATIONS } from '../../src/protocol/revocations';
import { applyRevocations } from '../sign-in/end-access';

const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** Reference data, written by the bridge and read by tablets. */
export function referenceRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get<{ Params: { name: string } }>('/edge/reference/:name', async (request, reply) => {
    const name = parseInput(referenceNameSchema, request.params.name, 'name');
    // Some reference data is for the box alone.
    if (
      edgePolicyRow('reference', name) !== undefined &&
      decideEdge('reference', name, request.caller.roles) !== 'allowed'
    )
      throw new ReefError('forbidden');
    const row = context.reference.get(name);
    if (row === undefined) throw new ReefError('not-found', { name });
    reply
      .header('ETag', row.etag)
      .header('Cache-Control', 'no-cache')
      .header('Last-Modified', new Date(row.storedAt).toUTCString());
    if (hasEtag(request, row.etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(row.body);
  });

  app.put<{ Params: { name: string } }>('/edge/reference/:name', { bodyLimit: BODY_BYTES_MAX }, async (request) => {
    const name = parseInput(referenceNameSchema, request.params.name, 'name');
    if (request.body === undefined)
      throw new ReefError('bad-message', { field: 'body', message: 'The body must be JSON.' });
    checkJson(request.body, 'body');
    const revocations = context.reference.revocations();
    const { etag, storedAt } = context.reference.put(name, request.body, isoNow(context));
    if (name === REVOCATIONS) applyRevocations(context, revocations);
    context.time.commit(context.clock());
    return { ok: true, name, etag, storedAt };
  });
}
