import type { FastifyInstance } from 'fastify';
import type { VariantAddress } from '../../src/server/variants/send-variant';
import { sendVariant } from '../../src/server/variants/send-variant';
import type { EdgeContext } from '../context';

/** Size of a preview, px, if none is asked for. */
const PREVIEW_PX = '800';

/**
 * `GET /cache/<size>/<token>/<url>`: photograph of a known record at 800, 2000 or 4000 px. `GET
 * /edge/previews/<imageId>?size=`: the same for a tablet without the bytes, by default the smallest one.
 */
export function cacheRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get<{ Params: { [Name in keyof VariantAddress]: string } }>('/cache/:size/:token/:url', (request, reply) =>
    sendVariant(request, reply, request.params, context),
  );
  app.get<{ Params: { imageId: string }; Querystring: { size?: string } }>(
    '/edge/previews/:imageId',
    (request, reply) => {
      const size = request.query.size ?? PREVIEW_PX;
      return sendVariant(request, reply, { size, ...context.imageLinks.linkFor(request.params.imageId) }, context);
    },
  );
}
