import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { ReefError } from '../../domain/errors';
import type { BlobStore } from '../blobs/blob-store';
import type { Probe } from '../ops/probe';

const MEDIA_TYPE = 'application/partial-upload';

interface PartialUploadOptions {
  /** Base path of the routes, such as `/edge/uploads`. */
  readonly path: string;
  readonly blobs: Pick<BlobStore, 'write' | 'transfer'>;
  readonly probe: Probe;
  /**
   * Called with the number of bytes that a request announces, before the first is read; may refuse it. The returned
   * function gets the number that arrived.
   */
  readonly onStart?: (request: FastifyRequest, announced: number) => (received: number) => void;
  /** Called with the number of a request's bytes that are on disk. */
  readonly onReceived: (request: FastifyRequest, bytes: number) => void;
  /** Called before the response of the request that completed an upload, with its hash. */
  readonly onCompleted?: (request: FastifyRequest, sha256: string) => Promise<void>;
}

/**
 * Photograph bytes over HTTP (protocol, Edge socket 5), as "Resumable Uploads for HTTP". The stream goes straight to
 * the blob store: no parser, no buffer, and no limit but the announced size.
 */
export async function partialUploadRoutes(
  app: FastifyInstance,
  { path, blobs, probe, onStart, onReceived, onCompleted: isWhole }: PartialUploadOptions,
): Promise<void> {
  await app.register(async (plain) => {
    plain.removeAllContentTypeParsers();
    plain.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

    plain.patch<{ Params: { id: string } }>(`${path}/:id`, async (request, reply) => {
      const before = offsetOf(request);
      const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
      if (type !== MEDIA_TYPE)
        throw new ReefError('bad-message', { field: 'Content-Type', message: `Content-Type must be ${MEDIA_TYPE}.` });
      let settle: ((received: number) => void) | undefined;
      let received = 0;
      try {
        const id = uploadIdOf(request);
        if (onStart !== undefined) settle = onStart(request, await announcedBytes(request, id, blobs));
        const { offset, completed } = await blobs.write(id, before, request.raw);
        received = Math.max(0, offset - before);
        onReceived(request, received);
        if (completed !== undefined) await isWhole?.(request, completed);
        probe('emit.before');
        reply.header('Upload-Offset', offset);
        reply.raw.once('finish', () => probe('emit.after'));
        return { ok: true, offset };
      } catch (error) {
        if (error instanceof ReefError && typeof error.details['offset'] === 'number')
          reply.header('Upload-Offset', error.details['offset']);
        throw error;
      } finally {
        settle?.(received);
        drain(request.raw);
      }
    });

    plain.get<{ Params: { id: string } }>(`${path}/:id`, async (request, reply) => {
      const { offset, bytes, complete } = await blobs.transfer(uploadIdOf(request));
      reply
        .header('Upload-Offset', offset)
        .header('Upload-Length', bytes)
        .header('Upload-Complete', complete ? '?1' : '?0')
        .header('Cache-Control', 'no-store');
      return { ok: true, offset, bytes, complete };
    });
  });
}

/** Drops the rest of a refused request, so that its sender can read the response. */
function drain(request: IncomingMessage): void {
  if (!request.readableEnded && !request.destroyed) request.resume();
}

/** Bytes that a request announces: without a length, all that its upload still lacks. */
async function announcedBytes(
  { headers }: FastifyRequest,
  id: string,
  blobs: Pick<BlobStore, 'transfer'>,
): Promise<number> {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  const { bytes, offset } = await blobs.transfer(id);
  return Math.max(0, bytes - offset);
}

function uploadIdOf(request: FastifyRequest<{ Params: { id: string } }>): string {
  const { id } = request.params;
  if (!/^[0-9A-Za-z]{12,64}$/.test(id)) throw new ReefError('not-found');
  return id;
}

function offsetOf(request: FastifyRequest): number {
  const header = request.headers['upload-offset'];
  if (typeof header !== 'string' || !/^[0-9]{1,15}$/.test(header))
    throw new ReefError('bad-message', { field: 'Upload-Offset', message: 'Upload-Offset must be a whole number.' });
  return Number(header);
}
