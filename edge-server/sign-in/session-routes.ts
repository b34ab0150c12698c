import type { FastifyInstance } from 'fastify';
import type { SessionsReply } from '../../src/protocol/edge-http';
import { endSessionSchema } from '../../src/protocol/edge-http';
import { parseInput } from '../../src/server/http/parse';
import type { EdgeContext } from '../context';
import { endAccess, listSessions, mayEndAll, sessionId } from './end-access';

/** `GET /edge/sessions`, `POST /edge/sessions/end`: who has access aboard, and its end. */
export function sessionRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get('/edge/sessions', async (request, reply) => {
    const { session: caller } = request.caller;
    const names = new Map(context.state.devices().map(({ id, name }) => [id, name]));
    const answer: SessionsReply = {
      all: mayEndAll(caller),
      sessions: listSessions(context, caller).map((one) => ({
        id: sessionId(one),
        tablet: names.get(one.deviceId) ?? '',
        person: one.person === null ? null : `${one.person.name.first} ${one.person.name.last}`.trim(),
        createdAt: one.createdAt,
        usedAt: one.usedAt,
        ended: one.ended ?? null,
        current: one.hash === caller?.hash,
      })),
    };
    return reply.header('Cache-Control', 'no-store').send({ ok: true, ...answer });
  });

  app.post('/edge/sessions/end', async (request): Promise<{ ok: true }> => {
    endAccess(context, request.caller.session, parseInput(endSessionSchema, request.body));
    return { ok: true };
  });
}
