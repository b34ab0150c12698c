import type { FastifyInstance } from 'fastify';
import type { CloudContext } from '../context';

/** Route `GET /readyz`: the database answers. */
export function readinessRoutes(app: FastifyInstance, context: CloudContext): void {
  app.get('/readyz', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
    await context.ping();
    return reply.send({ ok: true, version: context.version });
  });
}
