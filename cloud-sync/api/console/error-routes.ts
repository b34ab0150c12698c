import type { FastifyInstance } from 'fastify';
import type { ErrorGroup } from '../../../src/protocol/cloud-http';
import { closeErrorGroupSchema, errorGroupsParamsSchema } from '../../../src/protocol/cloud-http';
import { parseForm } from '../../../src/server/http/parse';
import { themeOf, sendPage } from '../../../src/server/pages/page';
import { CONSOLE_PATH } from './console-path';
import { errorsPage } from './errors-page';
import type { CallApi } from './held-routes';

/** Pages of the apps' error reports, in groups that staff close. */
export function errorRoutes(scope: FastifyInstance, callApi: CallApi): void {
  scope.get('/console/errors', async (request, reply) => {
    const { closed } = parseForm(errorGroupsParamsSchema, request.query);
    const isClosed = closed !== undefined;
    const answer = await callApi(request, 'GET', `/api/errors${isClosed ? '?closed=true' : ''}`);
    return sendPage(
      reply,
      errorsPage({
        groups: answer['groups'] as unknown as readonly ErrorGroup[],
        isClosed,
        total: Number(answer[isClosed ? 'closed' : 'open']),
        closed: Number(answer['closed']),
        problem: null,
        theme: themeOf(request, reply, CONSOLE_PATH),
      }),
    );
  });

  scope.post('/console/errors', async (request, reply) => {
    const group = parseForm(closeErrorGroupSchema, request.body);
    const { closed } = await callApi(request, 'POST', '/api/errors/close', group);
    if (closed === true) return reply.redirect('/console/errors', 303);
    const answer = await callApi(request, 'GET', '/api/errors');
    return sendPage(
      reply,
      errorsPage({
        groups: answer['groups'] as unknown as readonly ErrorGroup[],
        isClosed: false,
        total: Number(answer['open']),
        closed: Number(answer['closed']),
        problem: 'The error was reported again after you opened the page, so it stays open. Nothing was changed.',
        theme: themeOf(request, reply, CONSOLE_PATH),
      }),
      409,
    );
  });
}
