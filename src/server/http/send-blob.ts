import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReefError } from '../../domain/errors';
import { sha256Schema } from '../../domain/ids';
import type { BlobStore } from '../blobs/blob-store';
import { byteRange } from './byte-range';

/**
 * Answers `GET` and `HEAD` of a photograph's bytes; one range at a time (protocol, `/edge/blobs`, `/api/blobs`).
 *
 * @throws ReefError `not-found`; `bad-message` for a range beyond the end
 */
export async function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  blobs: BlobStore,
  sha256: string,
): Promise<FastifyReply> {
  const size = sha256Schema.safeParse(sha256).success ? await blobs.size(sha256) : undefined;
  if (size === undefined) throw new ReefError('not-found');
  const etag = `"${sha256}"`;
  reply
    .header('ETag', etag)
    .header('Accept-Ranges', 'bytes')
    .header('Cache-Control', 'private, max-age=31536000, immutable')
    .type('application/octet-stream');
  const ifRange = request.headers['if-range'];
  const range = ifRange === undefined || ifRange === etag ? byteRange(request.headers.range, size) : undefined;
  if (range === 'beyond') {
    reply.header('Content-Range', `bytes */${size}`);
    throw new ReefError('bad-message', { field: 'Range', message: 'The range is beyond the end.', bytes: size });
  }
  if (range === undefined) reply.header('Content-Length', size);
  else
    reply
      .code(206)
      .header('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
      .header('Content-Length', range.end - range.start + 1);
  // An empty stream for HEAD: without a body Fastify would report an empty photograph.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  return reply.send(await blobs.read(sha256, range));
}
