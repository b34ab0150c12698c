import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../../src/domain/errors';
import { sendNotYetPublished, sendPublicFile } from '../../../src/server/http/send-public-file';
import type { CloudContext } from '../context';
import { readPublicFile } from './public-files';

/** Longest name of a public file. */
const PATH_MAX = 200;

/** Route `GET /cdn/map/<region>/<file>`: the public files of regions, for anyone (3§7 "Map data"). */
export function cdnRoutes(app: FastifyInstance, { database }: Pick<CloudContext, 'database'>): void {
  app.get<{ Params: { '*': string } }>('/cdn/map/*', async (request, reply) => {
    const name = request.params['*'];
    const isName = name.length <= PATH_MAX && /^[0-9A-Za-z][0-9A-Za-z/_.-]*$/.test(name);
    const file = isName ? await readPublicFile(database.pool, `map/${name}`) : undefined;
    if (file === undefined && sendNotYetPublished(reply, name)) return reply;
    if (file === undefined) throw new ReefError('not-found', { message: 'This file does not exist.' });
    return sendPublicFile(request, reply, file);
  });
}
