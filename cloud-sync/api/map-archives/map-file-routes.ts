import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import { sha256Schema } from '../../../src/domain/ids';
import type { MapFile, MapFilesReply } from '../../../src/protocol/map-files';
import { byteRange } from '../../../src/server/http/byte-range';
import { acceptsEncoding, hasEtag } from '../../../src/server/http/conditional';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';

const compress = promisify(gzip);
/** Tables come before archives, and those that a map needs first before others. */
const ARCHIVES_ABOARD = ['reefs', 'rubble', 'base', 'zoning', 'priorities', 'validation', 'raster'];
/** Archives whose numeric ids are rows of a table. */
const WITH_TABLES = new Set(['reefs', 'rubble']);

interface TableRow {
  readonly path: string;
  readonly sha256: string;
  readonly type: string;
  readonly bytes: number;
}

interface ArchiveRow {
  readonly name: string;
  readonly region: string;
  readonly kind: string;
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Routes `GET /api/map-files`, the public files of all maps as they go aboard, and `GET /api/map-files/<sha256>`, their
 * bytes with ranges. Archives of releases stay ashore: they are for programs there.
 */
export function mapFileRoutes(app: FastifyInstance, { database, mapArchives }: CloudContext): void {
  const { pool } = database;
  app.get('/api/map-files', async (request, reply) => {
    const files = await mapFiles(pool);
    const etag = `"${createHash('sha256').update(JSON.stringify(files)).digest('base64url').slice(0, 27)}"`;
    reply.header('ETag', etag).header('Cache-Control', 'no-cache');
    if (hasEtag(request, etag)) return reply.code(304).send();
    return reply.send({ ok: true, files } satisfies MapFilesReply);
  });

  app.get<{ Params: { sha256: string } }>('/api/map-files/:sha256', async (request, reply) => {
    const sha256 = parseInput(sha256Schema, request.params.sha256, 'sha256');
    const { rows } = await pool.query<{ name: string }>('SELECT name FROM map_archives WHERE sha256 = $1 LIMIT 1', [
      sha256,
    ]);
    const found = rows[0] === undefined ? null : await mapArchives.locate(rows[0].name);
    // Another archive may have replaced it just now.
    if (found?.etag === `"${sha256}"`) {
      const size = (await pool.query<{ bytes: string }>('SELECT bytes FROM map_archives WHERE sha256 = $1', [sha256]))
        .rows[0]?.bytes;
      return sendPiece(request, reply, {
        etag: found.etag,
        size: Number(size ?? 0),
        read: (start, end) => createReadStream(found.file, { start, end }),
      });
    }
    const { rows: tables } = await pool.query<{ body: Buffer }>(
      'SELECT body FROM public_files WHERE sha256 = $1 LIMIT 1',
      [sha256],
    );
    const body = tables[0]?.body;
    if (body === undefined) throw new ReefError('not-found', { message: 'This map file does not exist any longer.' });
    const isCompressed = acceptsEncoding(request, 'gzip');
    const bytes = isCompressed ? await compress(body, { level: 9 }) : body;
    reply.header('Vary', 'Accept-Encoding');
    if (isCompressed) reply.header('Content-Encoding', 'gzip');
    return sendPiece(request, reply, {
      etag: `"${sha256}${isCompressed ? '-gzip' : ''}"`,
      size: bytes.length,
      read: (start, end) => bytes.subarray(start, end + 1),
    });
  });
}

interface Content {
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
  /** Both ends inclusive. */
  readonly read: (start: number, end: number) => Buffer | NodeJS.ReadableStream;
}

function sendPiece(request: FastifyRequest, reply: FastifyReply, { etag, size, read }: Content): FastifyReply {
  reply
    .header('ETag', etag)
    .header('Accept-Ranges', 'bytes')
    .header('Cache-Control', 'public, max-age=31536000, immutable')
    .type('application/octet-stream');
  if (hasEtag(request, etag)) return reply.code(304).send();
  const ifRange = request.headers['if-range'];
  const range = ifRange === undefined || ifRange === etag ? byteRange(request.headers.range, size) : undefined;
  if (range === 'beyond') {
    reply.header('Content-Range', `bytes */${size}`).removeHeader('Content-Encoding');
    throw new ReefError('bad-message', { field: 'Range', message: 'The range is beyond the end.', bytes: size });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  if (range !== undefined) reply.code(206).header('Content-Range', `bytes ${start}-${end}/${size}`);
  return reply.header('Content-Length', end - start + 1).send(read(start, end));
}

/** Files in the order in which they go aboard, those of one region in sets that change together. */
async function mapFiles(pool: pg.Pool): Promise<readonly MapFile[]> {
  const { rows: tables } = await pool.query<TableRow>(
    `SELECT path, sha256, content_type AS type, octet_length(body) AS bytes FROM public_files WHERE path LIKE 'map/%' ORDER BY octet_length(body), path`,
  );
  const { rows: archives } = await pool.query<ArchiveRow>(
    'SELECT name, region_id AS region, kind, sha256, bytes::float8 AS bytes FROM map_archives ORDER BY name',
  );
  const aboard = archives
    .filter(({ kind }) => ARCHIVES_ABOARD.includes(kind))
    .sort((a, b) => ARCHIVES_ABOARD.indexOf(a.kind) - ARCHIVES_ABOARD.indexOf(b.kind));
  return [
    ...tables.map(({ path, ...file }): MapFile => ({
      address: `/cdn/${path}`,
      ...file,
      set: `map ${path.split('/')[1] ?? ''}`,
      encoding: 'gzip',
    })),
    ...aboard.map(({ name, region, kind, sha256, bytes }): MapFile => ({
      address: `/tiles/${name}.pmtiles`,
      sha256,
      bytes,
      type: 'application/octet-stream',
      set: WITH_TABLES.has(kind) ? `map ${region}` : name,
      encoding: 'identity',
    })),
  ];
}
