import type { FastifyInstance } from 'fastify';
import { sendBlob } from '../../src/server/send-blob';
import type { EdgeContext } from '../context';

/** `GET` and `HEAD /edge/blobs/<sha256>`: the bytes of photographs, for the bridge; one range at a time. */
export function blobRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get<{ Params: { sha256: string } }>('/edge/blobs/:sha256', (request, reply) => sendBlob(request, reply, context.blobs, request.params.sha256));
}
