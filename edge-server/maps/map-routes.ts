import { readFile, stat } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../src/domain/errors';
import { sha256Schema } from '../../src/domain/ids';
import type { WantedMapFilesReply } from '../../src/protocol/map-files';
import { MAP_PIECE_BYTES_MAX, UPLOAD_LENGTH_HEADER, mapFilesSchema } from '../../src/protocol/map-files';
import { parseInput } from '../../src/server/http/parse';
import { sendNotYetPublished, sendPublicFile } from '../../src/server/http/send-public-file';
import type { EdgeContext } from '../context';

const PIECE_TYPE = 'application/partial-upload';
const LIST_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Map of the report aboard (3§7): `GET /cdn/map/<region>/<file>`, the same bytes as ashore, and the bridge's
 * `PUT /edge/map-files` with the cloud's list and `PATCH /edge/map-files/<sha256>` with pieces of what the box lacks.
 */
export async function mapRoutes(app: FastifyInstance, { maps }: Pick<EdgeContext, 'maps'>): Promise<void> {
  app.get<{ Params: { '*': string } }>('/cdn/map/*', async (request, reply) => {
    const name = request.params['*'];
    const found = maps.find(`/cdn/map/${name}`);
    if (found === null && sendNotYetPublished(reply, name)) return reply;
    if (found === null) throw new ReefError('not-found', { message: 'The box does not have this file yet.' });
    const { file, sha256, type } = found;
    const [body, { mtime }] = await Promise.all([readFile(file), stat(file)]);
    return sendPublicFile(request, reply, { sha256, contentType: type, body, updatedAt: mtime });
  });

  app.put('/edge/map-files', { bodyLimit: LIST_BYTES_MAX }, async (request): Promise<WantedMapFilesReply> => {
    const { files } = parseInput(mapFilesSchema, request.body);
    return { ok: true, wanted: await maps.putList(files) };
  });

  await app.register(async (pieces) => {
    pieces.removeAllContentTypeParsers();
    pieces.addContentTypeParser(
      PIECE_TYPE,
      { parseAs: 'buffer', bodyLimit: MAP_PIECE_BYTES_MAX },
      (_request, body, done) => done(null, body),
    );
    pieces.patch<{ Params: { sha256: string } }>(
      '/edge/map-files/:sha256',
      { bodyLimit: MAP_PIECE_BYTES_MAX },
      async (request) => {
        const sha256 = parseInput(sha256Schema, request.params.sha256, 'sha256');
        if (!Buffer.isBuffer(request.body))
          throw new ReefError('bad-message', { field: 'Content-Type', message: `Content-Type must be ${PIECE_TYPE}.` });
        const place = {
          offset: numberOf(request.headers['upload-offset'], 'Upload-Offset'),
          length: numberOf(request.headers[UPLOAD_LENGTH_HEADER], 'Upload-Length'),
        };
        return { ok: true, ...(await maps.append(sha256, place, request.body)) };
      },
    );
  });
}

function numberOf(value: string | string[] | undefined, field: string): number {
  if (typeof value !== 'string' || !/^\d{1,12}$/.test(value))
    throw new ReefError('bad-message', { field, message: `${field} must be a number of bytes.` });
  return Number(value);
}
