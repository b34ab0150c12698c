import type { FastifyInstance } from 'fastify';
import type { EdgeContext } from '../context';
import { scopeOf } from '../socket/connection';

/** Socket queries over HTTP, unwrapped (protocol, Edge socket 8). `changes` is the bridge's: everything. */
export function statsRoutes(app: FastifyInstance, context: EdgeContext): void {
  for (const name of ['meta', 'gps', 'surveys', 'locations', 'senders'] as const) {
    app.get(`/edge/${name}`, async (request, reply) => {
      const data = await context.queries.run(name, undefined, scopeOf(request.caller.session) ?? 'admin');
      // Fastify sends no body for null; JSON has one.
      return reply
        .type('application/json; charset=utf-8')
        .header('Cache-Control', 'no-store')
        .send(JSON.stringify(data));
    });
  }
  app.get<{ Querystring: Record<string, unknown> }>('/edge/track', async (request, reply) =>
    reply.header('Cache-Control', 'no-store').send(context.queries.track({ ...request.query })),
  );
  // A query becomes a plain JSON object only when copied.
  app.get<{ Querystring: Record<string, unknown> }>('/edge/changes', async (request, reply) =>
    reply.header('Cache-Control', 'no-store').send(await context.queries.changes({ ...request.query }, 'admin')),
  );
}
