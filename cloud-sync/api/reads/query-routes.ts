import type { FastifyInstance } from 'fastify';
import { SIGNED_READERS } from '../../../src/domain/policy/cloud-policy';
import { hasRole } from '../../../src/domain/policy/roles';
import type { Caller } from '../access/caller';
import { isRevokedTablet } from '../access/caller';
import type { Reader } from './read-definition';
import type { Reads } from './reads';

/** Route `GET /api/query/<name>`: the reads of the specification (1§7). Each read defines its audience. */
export function queryRoutes(app: FastifyInstance, { reads }: { readonly reads: Reads }): void {
  app.get<{ Params: { name: string } }>('/api/query/:name', async (request, reply) => {
    const text = await reads.answer(request.params.name, request.query, readerOf(request.cloudCaller));
    return reply
      .header('Content-Type', 'application/json; charset=utf-8')
      .header('Cache-Control', 'no-store')
      .send(text);
  });
}

/** Reader that a caller is. */
export function readerOf(caller: Caller): Reader {
  const { roles, person, node } = caller;
  return {
    person,
    node,
    isStaff: roles.has('staff'),
    isSignedIn: hasRole(roles, SIGNED_READERS),
    isRevoked: isRevokedTablet(caller),
  };
}
