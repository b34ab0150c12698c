import type { FastifyInstance, FastifyReply } from 'fastify';
import type { EdgeContext } from '../context';

/** `GET /edge/pairing`: the code, for a paired tablet; null if none is needed. `POST` makes a new one. */
export function pairingRoutes(app: FastifyInstance, context: EdgeContext): void {
  const sendCode = (reply: FastifyReply): FastifyReply =>
    reply
      .header('Cache-Control', 'no-store')
      .send({ code: context.pairing.mode === 'open' ? null : context.pairing.code() });
  app.get('/edge/pairing', async (_request, reply) => sendCode(reply));
  app.post('/edge/pairing', async (_request, reply) => {
    context.pairing.renewCode();
    return sendCode(reply);
  });
}
