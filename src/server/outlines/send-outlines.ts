import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OutlineSet } from '../../domain/analysis/labelling/outline';
import { filterOutlines, outlineCollection } from '../../domain/analysis/labelling/outline-collection';
import { ReefError } from '../../domain/errors';
import type { OutlineSizes } from '../../protocol/outlines';
import { NO_OUTLINES_STATUS } from '../../protocol/outlines';
import { acceptsEncoding, hasEtag } from '../http/conditional';

const compress = promisify(gzip);

/**
 * Answers a photograph's outlines as a GeoJSON FeatureCollection; without any, as 1§7 has it: "Status 500 means no
 * result". Compressed where the caller takes that: 200 outlines are 330 kB, and 60 with gzip.
 *
 * @param sizes fractions of the picture
 */
export async function sendOutlines(
  request: FastifyRequest,
  reply: FastifyReply,
  set: OutlineSet | null,
  sizes: OutlineSizes,
): Promise<FastifyReply> {
  if (set === null) {
    const error = new ReefError('not-found', { message: 'There are no outlines of this photograph here.' });
    return reply
      .code(NO_OUTLINES_STATUS)
      .header('Cache-Control', 'no-store')
      .send({ ok: false, error: error.toWire() });
  }
  const body = JSON.stringify(outlineCollection(filterOutlines(set, sizes)));
  const isCompressed = acceptsEncoding(request, 'gzip');
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}${isCompressed ? 'z' : ''}"`;
  reply.header('ETag', etag).header('Cache-Control', 'private, no-cache').header('Vary', 'Accept-Encoding');
  if (hasEtag(request, etag)) return reply.code(304).send();
  reply.type('application/json; charset=utf-8');
  return isCompressed ? reply.header('Content-Encoding', 'gzip').send(await compress(body)) : reply.send(body);
}
