import type { FastifyInstance } from 'fastify';
import type { VariantAddress } from '../../src/server/variants/send-variant';
import { sendVariant } from '../../src/server/variants/send-variant';
import type { EdgeContext } from '../context';

/** Size at which a tablet shows a photograph that another tablet added, px. */
const PREVIEW_PX = '800';

/**
 * `GET /cache/<size>/<token>/<url>`: photograph of a known record at 800, 2000 or 4000 px. `GET
 * /edge/previews/<imageId>`: the smallest one, for a tablet without the bytes.
 */
export function cacheRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get<{ Params: { [Name in keyof VariantAddress]: string } }>('/cache/:size/:token/:url', (request, reply) =>
    sendVariant(request, reply, request.params, context),
  );
  app.get<{ Params: { imageId: string } }>('/edge/previews/:imageId', (request, reply) =>
    sendVariant(request, reply, { size: PREVIEW_PX, ...context.imageLinks.linkFor(request.params.imageId) }, context),
  );
}
