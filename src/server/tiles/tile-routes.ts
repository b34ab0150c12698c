import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Semaphore } from '../../base/semaphore';
import { ReefError } from '../../domain/errors';
import { byteRange } from '../http/byte-range';
import { acceptsEncoding, acceptsType, hasEtag } from '../http/conditional';
import { isTooLarge } from './tile-archive';
import type { TileArchive } from './tile-archive';
import { tileIdOf } from './tile-id';
import type { TileSources } from './tile-sources';

const gunzip = promisify(zlib.gunzip);
const brotliDecompress = promisify(zlib.brotliDecompress);

/** Largest decompressed tile; real ones have less than 3 MiB. */
export const TILE_INFLATED_MAX = 8 * 1024 * 1024;
/** Tiles that are decompressed at a time: they bound the memory of all requests together. */
const inflating = new Semaphore(4);
/** Ending of the archive with the same raster in AVIF. */
const AVIF_ENDING = '-avif';
/** One hour, then revalidation by ETag: staff may replace a chart. */
const CACHE_CONTROL = 'public, max-age=3600';

/**
 * Map tiles from PMTiles archives: `GET` and `HEAD /tiles/<source>.pmtiles` (ranges), and `/tiles/<source>/<z>/<x>/<y>`
 * (204 if the archive has none), both with a strong ETag. A raster in WebP with a twin in AVIF is served as the caller
 * accepts it.
 */
export function tileRoutes(app: FastifyInstance, { tiles }: { readonly tiles: TileSources }): void {
  app.get<{ Params: { archive: string } }>('/tiles/:archive', async (request, reply) => {
    const [, name] = /^(.*)\.pmtiles$/.exec(request.params.archive) ?? [];
    return sendArchive(request, reply, await sourceOf(tiles, name));
  });

  app.get<{ Params: { source: string; z: string; x: string; y: string } }>(
    '/tiles/:source/:z/:x/:y',
    async (request, reply) => {
      const { source, z, x, y } = request.params;
      const found = tiles.get(source);
      const archive = found instanceof Promise ? await found : found;
      if (archive === null) throw unknownSource();
      const id = tileIdOf(
        parseInteger(z, 'z'),
        parseInteger(x, 'x'),
        parseInteger(y.replace(/\.(mvt|pbf|png|jpg|webp|avif)$/, ''), 'y'),
      );
      if (id === undefined)
        throw new ReefError('bad-message', {
          field: 'tile',
          message: 'No such tile: z is at most 26, x and y are below 2 to the power of z.',
        });
      if (archive.mediaType !== 'image/webp') return sendTile(request, reply, archive, id);
      const twin = await tiles.get(`${source}${AVIF_ENDING}`);
      if (twin !== null) reply.header('Vary', 'Origin, Accept');
      const isAvif = y.endsWith('.avif') || (!y.endsWith('.webp') && acceptsType(request, 'image/avif'));
      // The first may have been replaced meanwhile.
      return sendTile(request, reply, isAvif && twin !== null ? twin : await sourceOf(tiles, source), id);
    },
  );
}

async function sourceOf(tiles: TileSources, name: string | undefined): Promise<TileArchive> {
  const archive = name === undefined ? null : await tiles.get(name);
  if (archive === null) throw unknownSource();
  return archive;
}

function unknownSource(): ReefError {
  return new ReefError('not-found', { message: 'There are no map tiles by that name.' });
}

function parseInteger(text: string, field: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new ReefError('bad-message', { field, message: `${field} must be a whole number.` });
  return Number(text);
}

function sendArchive(request: FastifyRequest, reply: FastifyReply, archive: TileArchive): FastifyReply {
  const { etag, size } = archive;
  reply
    .header('ETag', etag)
    .header('Accept-Ranges', 'bytes')
    .header('Cache-Control', CACHE_CONTROL)
    .type('application/octet-stream');
  if (hasEtag(request, etag)) return reply.code(304).send();
  const ifRange = request.headers['if-range'];
  const range = ifRange === undefined || ifRange === etag ? byteRange(request.headers.range, size) : undefined;
  if (range === 'beyond') {
    const error = new ReefError('bad-message', {
      field: 'Range',
      message: 'The range is beyond the end.',
      bytes: size,
    });
    return reply
      .code(416)
      .header('Content-Range', `bytes */${size}`)
      .header('Cache-Control', 'no-store')
      .type('application/json; charset=utf-8')
      .send({ ok: false, error: error.toWire() });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  reply.header('Content-Length', end - start + 1);
  if (range !== undefined) reply.code(206).header('Content-Range', `bytes ${start}-${end}/${size}`);
  // An empty stream for HEAD: without a body Fastify would report an empty archive.
  return reply.send(request.method === 'HEAD' ? Readable.from([]) : archive.stream({ start, end }));
}

async function sendTile(
  request: FastifyRequest,
  reply: FastifyReply,
  archive: TileArchive,
  id: number,
): Promise<FastifyReply> {
  // Every browser accepts gzip; a client without the header gets plain bytes.
  const isPlain = archive.encoding === 'none' || !acceptsEncoding(request, archive.encoding);
  // Stored and decompressed tile are two representations, each with its own tag.
  const etag = `"${archive.etag.slice(1, -1)}-${id.toString(36)}${isPlain ? '-plain' : ''}"`;
  reply.header('Cache-Control', CACHE_CONTROL).header('ETag', etag);
  if (archive.encoding !== 'none') reply.header('Vary', 'Origin, Accept-Encoding');
  if (hasEtag(request, etag)) return reply.code(304).send();
  const read = archive.read(id);
  const bytes = read instanceof Promise ? await read : read;
  if (bytes === null) return reply.code(204).send();
  if (!isPlain) return reply.type(archive.mediaType).header('Content-Encoding', archive.encoding).send(bytes);
  const plain = await inflate(bytes, archive.encoding).catch((error: unknown) => {
    reply.removeHeader('ETag').header('Cache-Control', 'no-store');
    throw error;
  });
  return reply.type(archive.mediaType).send(plain);
}

/** @throws ReefError `too-large` */
async function inflate(bytes: Buffer, encoding: TileArchive['encoding']): Promise<Buffer> {
  if (encoding === 'none') return bytes;
  const release = await inflating.acquire();
  try {
    return await (encoding === 'gzip' ? gunzip : brotliDecompress)(bytes, { maxOutputLength: TILE_INFLATED_MAX });
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    throw new ReefError('too-large', {
      message: 'This map tile is too large to be decompressed here.',
      limit: TILE_INFLATED_MAX,
      cause: error,
    });
  } finally {
    release();
  }
}
