import type { FastifyInstance } from 'fastify';
import type { Sha256 } from '../../../src/domain/ids';
import type { UploadReply } from '../../../src/protocol/cloud-http';
import { uploadSchema } from '../../../src/protocol/cloud-http';
import { parseInput } from '../../../src/server/http/parse';
import { partialUploadRoutes } from '../../../src/server/http/partial-upload-routes';
import type { CloudContext } from '../context';
import type { Caller } from '../access/caller';

/** Routes `POST /api/uploads`: announces bytes; `PATCH` and `HEAD /api/uploads/<id>`: uploads them. */
export async function uploadRoutes(app: FastifyInstance, context: CloudContext): Promise<void> {
  app.post('/api/uploads', async (request): Promise<UploadReply> => {
    const { sha256, bytes, type, node } = parseInput(uploadSchema, request.body);
    const caller =
      node === undefined ? request.cloudCaller : await context.callers.forNode(request, request.cloudCaller, node);
    context.quotas.take('announcements', 1, caller, request.ip);
    const { uploadId, offset, complete } = await context.blobs.begin({
      owner: transferOwner(caller, sha256, bytes),
      sha256: sha256 as Sha256,
      bytes,
      type,
    });
    return { ok: true, uploadId, offset, complete };
  });

  await partialUploadRoutes(app, {
    path: '/api/uploads',
    blobs: context.blobs,
    probe: context.probe,
    onStart: ({ cloudCaller, ip }, announced) => {
      // Taken before the first byte: uploads side by side share what is left.
      context.quotas.take('bytes', announced, cloudCaller, ip);
      return (received) => context.quotas.record('bytes', received - announced, cloudCaller, ip);
    },
    onReceived: (_request, bytes) => {
      context.metrics.uploadedBytes.inc(bytes);
      context.intakePace.recordBytes(bytes);
    },
    onCompleted: (request, sha256) => context.blobAccess.recordUploader(sha256, request.cloudCaller),
  });
}

/**
 * Owner of a transfer, specific enough that concurrent uploads of one photograph, or a wrong announced length, do not
 * block each other.
 */
function transferOwner({ deviceId, node, person }: Caller, sha256: string, bytes: number): string {
  return [deviceId ?? node ?? person ?? 'box', sha256, bytes].join(' ');
}
