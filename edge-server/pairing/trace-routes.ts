import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../src/domain/errors';
import { formatNodeTrace } from '../../src/protocol/node-trace';
import type { EdgeContext } from '../context';
import { isoNow } from '../context';

/** `GET /edge/trace`: the box's identity, signed over the caller's nonce; and `GET /edge/keys`. */
export function traceRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get<{ Querystring: { nonce?: unknown } }>('/edge/trace', async (request, reply) => {
    const { nonce } = request.query;
    if (nonce !== undefined && (typeof nonce !== 'string' || !/^[0-9A-Za-z_.~-]{1,128}$/.test(nonce))) {
      throw new ReefError('bad-message', {
        field: 'nonce',
        message: 'nonce must be 1 to 128 letters, digits or -_.~.',
      });
    }
    const { nodeId, storeEpoch } = context.store.identity;
    const facts = { network: 'edge', node: nodeId, storeEpoch, time: isoNow(context) } as const;
    const text =
      nonce === undefined ? formatNodeTrace(facts) : formatNodeTrace({ ...facts, nonce, kid: context.traceKey.kid });
    const signed = nonce === undefined ? text : `${text}\nsig=${context.traceKey.sign(text)}`;
    return reply.type('text/plain; charset=utf-8').header('Cache-Control', 'no-store').send(signed);
  });

  app.get('/edge/keys', async (_request, reply) => {
    const named = (use: 'receipt' | 'trace' | 'bundle') => (key: object) => ({ ...key, for: use });
    return reply
      .header('Cache-Control', 'no-cache')
      .send({
        keys: [
          ...context.receiptKey.publicKeys.map(named('receipt')),
          ...context.traceKey.publicKeys.map(named('trace')),
          ...context.bundleKey.publicKeys.map(named('bundle')),
        ],
      });
  });
}
