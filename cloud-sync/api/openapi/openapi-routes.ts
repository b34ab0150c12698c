import type { FastifyInstance } from 'fastify';
import type { CloudContext } from '../context';
import { openApiDocument } from './openapi-document';

/** Route `GET /api/openapi.json`, generated from the schemas in use. */
export function openApiRoutes(app: FastifyInstance, context: CloudContext): void {
  const document = openApiDocument(context.version);
  app.get('/api/openapi.json', async (_request, reply) => reply.header('Cache-Control', 'no-cache').send(document));
}
