import type { FastifyInstance } from 'fastify';
import type { CloudContext } from '../context';

/**
 * Routes `GET /healthz`: the process is alive; `GET /readyz`: the database answers; `GET /metrics` for Prometheus. None
 * names a person.
 */
export function healthRoutes(app: FastifyInstance, context: CloudContext): void {
  app.get('/healthz', async (_request, reply) => {
    const { nodeId, storeEpoch } = context.store.identity;
    const disk = await context.blobs.disk();
    return reply
      .header('Cache-Control', 'no-store')
      .send({
        ok: true,
        node: nodeId,
        storeEpoch,
        version: context.version,
        disk,
        storageFull: disk.free < context.settings.minFreeBytes,
      });
  });

  app.get('/readyz', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
    await context.ping();
    return reply.send({ ok: true, version: context.version });
  });

  app.get('/metrics', async (_request, reply) =>
    reply.type(context.metrics.registry.contentType).send(await context.metrics.registry.metrics()),
  );
}
