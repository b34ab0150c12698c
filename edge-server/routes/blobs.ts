import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../src/domain/errors';
import { sha256Schema } from '../../src/domain/ids';
import type { EdgeContext } from '../context';

/** `GET` and `HEAD /edge/blobs/<sha256>`: the bytes of photographs, for the bridge; one range at a time. */
export function blobRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get<{ Params: { sha256: string } }>('/edge/blobs/:sha256', async (request, reply) => {
    const { sha256 } = request.params;
    const size = sha256Schema.safeParse(sha256).success ? await context.blobs.size(sha256) : undefined;
    if (size === undefined) throw new ReefError('not-found');
    const etag = `"${sha256}"`;
    reply.header('ETag', etag).header('Accept-Ranges', 'bytes').header('Cache-Control', 'private, max-age=31536000, immutable').type('application/octet-stream');
    const ifRange = request.headers['if-range'];
    const range = ifRange === undefined || ifRange === etag ? rangeOf(request.headers.range, size) : undefined;
    if (range === 'beyond') {
      reply.header('Content-Range', `bytes */${size}`);
      throw new ReefError('bad-message', { field: 'Range', message: 'The range lies beyond the end.', bytes: size });
    }
    if (range === undefined) reply.header('Content-Length', size);
    else reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${size}`).header('Content-Length', range.end - range.start + 1);
    // For HEAD an empty stream: with no body at all Fastify would say that the photograph is empty.
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    return reply.send(await context.blobs.read(sha256, range));
  });
}

/** One range of RFC 9110; undefined for none, or for a form that may be ignored. */
export function rangeOf(header: string | undefined, size: number): { start: number; end: number } | 'beyond' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return last === '0' ? 'beyond' : { start: Math.max(0, size - Number(last)), end: size - 1 };
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'beyond' : { start, end };
}
