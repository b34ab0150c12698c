import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../../src/domain/errors';
import type { CloudKeysReply } from '../../../src/protocol/cloud-http';
import type { PublicKey } from '../../../src/protocol/receipt';
import { formatNodeTrace } from '../../../src/protocol/node-trace';
import type { CloudContext } from '../context';
import { isoNow } from '../context';

/** Routes `GET /trace`: signed identity of this cloud over the caller's nonce; `GET /api/keys`: public keys. */
export function traceRoutes(app: FastifyInstance, context: CloudContext): void {
  app.get<{ Querystring: { nonce?: unknown } }>('/trace', async (request, reply) => {
    const { nonce } = request.query;
    if (nonce !== undefined && (typeof nonce !== 'string' || !/^[0-9A-Za-z_.~-]{1,128}$/.test(nonce))) {
      throw new ReefError('bad-message', {
        field: 'nonce',
        message: 'nonce must be 1 to 128 letters, digits or -_.~.',
      });
    }
    const { nodeId, storeEpoch } = context.store.identity;
    const facts = { network: 'www', node: nodeId, storeEpoch, time: isoNow(context) } as const;
    const text =
      nonce === undefined ? formatNodeTrace(facts) : formatNodeTrace({ ...facts, nonce, kid: context.traceKey.kid });
    const signed = nonce === undefined ? text : `${text}\nsig=${context.traceKey.sign(text)}`;
    return reply.type('text/plain; charset=utf-8').header('Cache-Control', 'no-store').send(signed);
  });

  app.get('/api/keys', async (_request, reply) => {
    const named = (use: 'receipt' | 'trace') => (key: PublicKey) => ({ ...key, for: use });
    const keys: CloudKeysReply = {
      keys: [
        ...context.receiptKey.publicKeys.map(named('receipt')),
        ...context.traceKey.publicKeys.map(named('trace')),
      ],
    };
    return reply.header('Cache-Control', 'no-cache').send(keys);
  });
}
