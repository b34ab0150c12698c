import { z } from 'zod';
import { ReefError } from '../../../src/domain/errors';
import { sha256Schema } from '../../../src/domain/ids';
import type { MapFile, WantedMapFile } from '../../../src/protocol/map-files';
import { UPLOAD_LENGTH_HEADER, mapFilesSchema } from '../../../src/protocol/map-files';
import { nullIfNotFound, parseReply } from './http-edge';
import type { HttpLink } from './http-link';
import type { MapApi, MapPiece } from './node-apis';

const wantedSchema = z.looseObject({
  wanted: z.array(z.looseObject({ sha256: sha256Schema, offset: z.int().min(0) })),
});
const storedSchema = z.looseObject({ offset: z.int().min(0), complete: z.boolean() });

export class HttpMaps implements MapApi {
  readonly #edge: HttpLink;
  readonly #cloud: HttpLink;

  constructor(edge: HttpLink, cloud: HttpLink) {
    this.#edge = edge;
    this.#cloud = cloud;
  }

  async list(
    etag: string | null,
    signal?: AbortSignal,
  ): Promise<{ readonly files: readonly MapFile[]; readonly etag: string | null } | null> {
    const answer = await nullIfNotFound(
      this.#cloud.ask({
        method: 'GET',
        path: '/api/map-files',
        headers: { 'Accept-Encoding': 'gzip', ...(etag === null ? {} : { 'If-None-Match': etag }) },
        signal,
      }),
    );
    if (answer === null || answer.status === 304) return null;
    const { files } = parseReply<{ files: readonly MapFile[] }>(mapFilesSchema, parseJson(answer.body));
    return { files, etag: answer.headers.etag ?? null };
  }

  async wanted(files: readonly MapFile[], signal?: AbortSignal): Promise<readonly WantedMapFile[] | null> {
    const answer = await nullIfNotFound(
      this.#edge.json({ method: 'PUT', path: '/edge/map-files', json: { files }, signal }),
    );
    return answer === null ? null : parseReply<{ wanted: readonly WantedMapFile[] }>(wantedSchema, answer).wanted;
  }

  async piece(
    { sha256, encoding }: MapFile,
    { offset, bytes }: { readonly offset: number; readonly bytes: number },
    signal?: AbortSignal,
  ): Promise<MapPiece | null> {
    const answer = await nullIfNotFound(
      this.#cloud.piece({
        path: `/api/map-files/${sha256}`,
        headers: {
          'Accept-Encoding': encoding,
          Range: `bytes=${offset}-${offset + bytes - 1}`,
          'If-Range': `"${sha256}${encoding === 'gzip' ? '-gzip' : ''}"`,
        },
        bytesMax: bytes,
        signal,
      }),
    );
    if (answer === null) return null;
    const [, start, length] = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.headers['content-range'] ?? '') ?? [];
    // The content changed since the first piece: it starts over.
    if (Number(start) !== offset) return null;
    return { bytes: answer.bytes, length: Number(length), ...(answer.cut === undefined ? {} : { cut: answer.cut }) };
  }

  async append(
    sha256: string,
    piece: { readonly offset: number; readonly length: number; readonly bytes: Uint8Array },
    signal?: AbortSignal,
  ): Promise<{ readonly offset: number; readonly complete: boolean }> {
    const { body } = await this.#edge.ask({
      method: 'PATCH',
      path: `/edge/map-files/${sha256}`,
      headers: {
        'Content-Type': 'application/partial-upload',
        'Upload-Offset': String(piece.offset),
        [UPLOAD_LENGTH_HEADER]: String(piece.length),
      },
      bytes: { length: piece.bytes.length, source: sourceOf(piece.bytes) },
      signal,
    });
    return parseReply(storedSchema, parseJson(body));
  }
}

async function* sourceOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

/** @throws ReefError `disconnected` */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ReefError('disconnected', { message: 'What answers there is not the server that was meant.', cause });
  }
}
