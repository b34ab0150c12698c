import type { FastifyInstance } from 'fastify';
import type { EdgeContext } from '../context';

/** `GET /healthz`: liveness and figures; `GET /metrics` for Prometheus. Neither identifies a person. */
export function healthRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get('/healthz', async (_request, reply) => {
    const disk = await context.blobs.disk();
    const { nodeId, storeEpoch } = context.store.identity;
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

  app.get('/metrics', async (_request, reply) =>
    reply.type(context.metrics.registry.contentType).send(await context.metrics.registry.metrics()),
  );
}
