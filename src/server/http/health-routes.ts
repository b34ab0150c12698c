import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { BlobStore } from '../blobs/blob-store';
import type { StoreIdentity } from '../ops/append-store';

interface HealthContext {
  readonly store: { readonly identity: StoreIdentity };
  readonly blobs: Pick<BlobStore, 'disk'>;
  readonly version: string;
  readonly settings: { readonly minFreeBytes: number };
  readonly metrics: { readonly registry: Registry };
}

/**
 * `GET /healthz`: the process is alive, with figures, for anyone; `GET /metrics` for Prometheus, with the operator's
 * token. Neither names a person.
 */
export function healthRoutes(app: FastifyInstance, { store, blobs, version, settings, metrics }: HealthContext): void {
  app.get('/healthz', async (_request, reply) => {
    const disk = await blobs.disk();
    const { nodeId, storeEpoch } = store.identity;
    return reply
      .header('Cache-Control', 'no-store')
      .send({ ok: true, node: nodeId, storeEpoch, version, disk, storageFull: disk.free < settings.minFreeBytes });
  });

  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}
