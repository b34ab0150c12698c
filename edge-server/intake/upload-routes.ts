import type { FastifyInstance } from 'fastify';
import { partialUploadRoutes } from '../../src/server/http/partial-upload-routes';
import type { EdgeContext } from '../context';

/** `PATCH` and `HEAD /edge/uploads/<id>`: bytes of photographs over HTTP (protocol, Edge socket 5). */
export async function uploadRoutes(app: FastifyInstance, context: EdgeContext): Promise<void> {
  await partialUploadRoutes(app, {
    path: '/edge/uploads',
    blobs: context.blobs,
    probe: context.probe,
    onReceived: (request, bytes) => {
      context.metrics.uploadedBytes.inc({ way: 'http' }, bytes);
      context.diskUse.addReceived(bytes);
      if (request.caller.session !== null) context.senders.addReceived(request.caller.session, bytes);
    },
  });
}
