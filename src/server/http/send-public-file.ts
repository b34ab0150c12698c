import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsEncoding, hasEtag } from './conditional';

const compress = promisify(gzip);

/** Tables of a region that the report asks for at each visit. */
const TABLES = /^[0-9A-Za-z_-]+\/(?:(?:first|meta|features|results)\.json|rubble\.csv)$/;

/** File at a stable address, the same for everyone. */
interface SentFile {
  /** SHA-256 of the body, lower-case hex. */
  readonly sha256: string;
  readonly contentType: string;
  readonly body: Buffer;
  readonly updatedAt: Date;
}

/**
 * Sends 204 for a table of a region that is not published yet: that is not a failure, and browsers log a 404 as an
 * error.
 *
 * @param path below `/cdn/map/`
 * @returns false for any other file
 */
export function sendNotYetPublished(reply: FastifyReply, path: string): boolean {
  if (!TABLES.test(path)) return false;
  void reply.code(204).header('Cache-Control', 'no-cache').send();
  return true;
}

/** Sends a public file with a strong ETag, compressed where the caller takes that; 304 if the caller has it. */
export async function sendPublicFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { sha256, contentType, body, updatedAt }: SentFile,
): Promise<FastifyReply> {
  const isCompressed = acceptsEncoding(request, 'gzip');
  // Other bytes, another strong ETag.
  const [plain, compressed] = [`"${sha256}"`, `"${sha256}-gzip"`];
  reply
    .header('ETag', isCompressed ? compressed : plain)
    .header('Cache-Control', 'no-cache')
    .header('Last-Modified', updatedAt.toUTCString())
    .header('Vary', 'Accept-Encoding')
    .header('Access-Control-Allow-Origin', '*')
    .header('Cross-Origin-Resource-Policy', 'cross-origin');
  if (hasEtag(request, plain) || hasEtag(request, compressed)) return reply.code(304).send();
  reply.type(contentType);
  return isCompressed ? reply.header('Content-Encoding', 'gzip').send(await compress(body)) : reply.send(body);
}
