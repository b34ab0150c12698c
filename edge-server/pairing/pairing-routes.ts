import type { FastifyInstance } from 'fastify';
import type { EdgeContext } from '../context';

/** `GET /edge/pairing`: the code, for a paired tablet; null if none is needed. */
export function pairingRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get('/edge/pairing', async (_request, reply) =>
    reply
      .header('Cache-Control', 'no-store')
      .send({ code: context.pairing.mode === 'open' ? null : context.pairing.code() }),
  );
}
