import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../src/domain/errors';
import type { EdgeContext } from '../context';
import type { VariantSize } from '../../src/server/variants';
import { VARIANT_SIZES } from '../../src/server/variants';

/** `GET /cache/<size>/<token>/<url>`: a photograph of a known record at 800, 2000 or 4000 px. */
export function cacheRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get<{ Params: { size: string; token: string; url: string } }>('/cache/:size/:token/:url', async (request, reply) => {
    const size = VARIANT_SIZES.find((known) => String(known) === request.params.size);
    const imageId = context.imageLinks.imageOf(request.params);
    if (size === undefined || imageId === undefined) throw new ReefError('not-found');
    const sha256 = await hashToShow(context, imageId);
    const etag = `"${sha256.slice(0, 32)}-${size}"`;
    // Any page that was given the address may show the picture.
    reply.header('ETag', etag).header('Cache-Control', 'private, max-age=86400').header('Cross-Origin-Resource-Policy', 'cross-origin');
    if (request.headers['if-none-match']?.split(/\s*,\s*/).includes(etag) === true) return reply.code(304).send();
    return send(reply, await context.variants.file(sha256, size satisfies VariantSize));
  });
}

/** The bytes that the record names now, if they are here; else any that were recorded for the image. */
async function hashToShow(context: EdgeContext, imageId: string): Promise<string> {
  const stored = await context.store.document('image', imageId);
  if (stored === undefined || stored.folded.deleted) throw new ReefError('not-found');
  const recorded = await context.store.imageRecorded(imageId);
  const named = stored.folded.doc['sha256'];
  for (const { sha256 } of [...recorded].sort((a, b) => Number(b.sha256 === named) - Number(a.sha256 === named))) {
    if (await context.blobs.has(sha256)) return sha256;
  }
  throw new ReefError('not-found', { message: 'The bytes of this photograph are not on the box.' });
}

async function send(reply: { type(type: string): { header(name: string, value: number): { send(body: unknown): unknown } } }, file: string): Promise<unknown> {
  const { size } = await stat(file);
  return reply.type('image/webp').header('Content-Length', size).send(createReadStream(file));
}
