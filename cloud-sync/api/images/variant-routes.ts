import type { FastifyInstance } from 'fastify';
import type { VariantAddress } from '../../../src/server/variants/send-variant';
import { sendVariant } from '../../../src/server/variants/send-variant';
import type { CloudContext } from '../context';

/** Route `GET /cache/<size>/<token>/<url>`: a photograph of a known record at 800, 2000 or 4000 px. */
export function variantRoutes(app: FastifyInstance, context: CloudContext): void {
  app.get<{ Params: { [Name in keyof VariantAddress]: string } }>('/cache/:size/:token/:url', (request, reply) =>
    sendVariant(request, reply, request.params, context),
  );
}
