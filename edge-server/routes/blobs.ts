import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { sha256Schema } from '../../src/domain/ids';
import { parseInput } from '../../src/server/parse';
import { sendBlob } from '../../src/server/send-blob';
import { AHEAD_PX } from '../../src/server/variants';
import type { EdgeContext } from '../context';

const paramsSchema = z.object({ sha256: sha256Schema });

/**
 * `GET` and `HEAD /edge/blobs/<sha256>`: the bytes of photographs, for the bridge; one range at a time. `GET
 * /edge/blobs/<sha256>/preview`: the small picture that it sends ahead of them.
 */
export function blobRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get<{ Params: { sha256: string } }>('/edge/blobs/:sha256', (request, reply) => sendBlob(request, reply, context.blobs, request.params.sha256));

  app.get('/edge/blobs/:sha256/preview', async (request, reply) => {
    const { sha256 } = parseInput(paramsSchema, { ...(request.params as object) });
    const file = await context.variants.file(sha256, AHEAD_PX);
    return reply.type('image/webp').header('Cache-Control', 'no-store').header('Content-Length', (await stat(file)).size).send(createReadStream(file));
  });
}
