import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ReefError } from '../../src/domain/errors';
import { sha256Schema } from '../../src/domain/ids';
import { parseInput } from '../../src/server/http/parse';
import { sendBlob } from '../../src/server/http/send-blob';
import { PREVIEW_SIDE_PX } from '../../src/server/variants/variants';
import type { EdgeContext } from '../context';

const paramsSchema = z.object({ sha256: sha256Schema });

/**
 * `GET` and `HEAD /edge/blobs/<sha256>`: bytes of a photograph, one range at a time. `GET
 * /edge/blobs/<sha256>/preview`: its preview.
 */
export function blobRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get<{ Params: { sha256: string } }>('/edge/blobs/:sha256', async (request, reply) => {
    const { sha256 } = request.params;
    const freed = (await context.blobs.has(sha256)) ? undefined : context.record.freed.find(sha256);
    if (freed !== undefined) throw freedError(freed);
    return sendBlob(request, reply, context.blobs, sha256);
  });

  app.get('/edge/blobs/:sha256/preview', async (request, reply) => {
    const { sha256 } = parseInput(paramsSchema, { ...(request.params as object) });
    const file = await context.variants.file(sha256, PREVIEW_SIDE_PX);
    return reply
      .type('image/webp')
      .header('Cache-Control', 'no-store')
      .header('Content-Length', (await stat(file)).size)
      .send(createReadStream(file));
  });
}

/** Error for freed bytes; `ashore` false: the cloud that proved them has started a new epoch since. */
function freedError({ ashore }: { readonly ashore: boolean }): ReefError {
  return new ReefError('not-found', {
    field: 'freed',
    ashore,
    message: ashore
      ? 'The box freed the room of this photograph after the cloud had confirmed it. The original is ashore; here is a small picture, where one could be made.'
      : 'The box freed the room of this photograph after the cloud had confirmed it, and the cloud has begun a new store since. Look for the original.',
  });
}
