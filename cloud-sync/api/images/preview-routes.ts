import type { FastifyInstance } from 'fastify';
import { PREVIEWS_MAX, PREVIEW_BYTES_MAX, previewsSchema } from '../../../src/protocol/cloud-http';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';

/**
 * Route `POST /api/previews`: previews of photographs still aboard. Those whose bytes are already stored are skipped.
 */
export function previewRoutes(app: FastifyInstance, context: CloudContext): void {
  app.post(
    '/api/previews',
    { bodyLimit: PREVIEWS_MAX * PREVIEW_BYTES_MAX * 2 },
    async (request): Promise<{ ok: true }> => {
      const { node, previews } = parseInput(previewsSchema, request.body);
      await context.callers.forNode(request, request.cloudCaller, node);
      const here = await Promise.all(previews.map(({ sha256 }) => context.blobs.has(sha256)));
      await context.previews.store(
        node,
        previews.filter((_, index) => here[index] !== true),
      );
      return { ok: true };
    },
  );
}
