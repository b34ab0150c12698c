import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../domain/errors';
import { formatNodeTrace } from '../../protocol/node-trace';
import type { PublicKey } from '../../protocol/receipt';
import type { StoreIdentity } from '../ops/append-store';
import type { ReceiptSigner } from '../ops/receipt-signer';

interface TraceContext {
  readonly store: { readonly identity: StoreIdentity };
  readonly traceKey: ReceiptSigner;
  readonly clock: () => number;
}

/** Identity of this server, signed over the caller's nonce. */
export function nodeTraceRoute(
  app: FastifyInstance,
  { url, network }: { readonly url: string; readonly network: 'edge' | 'www' },
  { store, traceKey, clock }: TraceContext,
): void {
  app.get<{ Querystring: { nonce?: unknown } }>(url, async (request, reply) => {
    const { nonce } = request.query;
    if (nonce !== undefined && (typeof nonce !== 'string' || !/^[0-9A-Za-z_.~-]{1,128}$/.test(nonce))) {
      throw new ReefError('bad-message', {
        field: 'nonce',
        message: 'nonce must be 1 to 128 letters, digits or -_.~.',
      });
    }
    const { nodeId, storeEpoch } = store.identity;
    const facts = { network, node: nodeId, storeEpoch, time: new Date(clock()).toISOString() };
    const text = formatNodeTrace(nonce === undefined ? facts : { ...facts, nonce, kid: traceKey.kid });
    const signed = nonce === undefined ? text : `${text}\nsig=${traceKey.sign(text)}`;
    return reply.type('text/plain; charset=utf-8').header('Cache-Control', 'no-store').send(signed);
  });
}

/** Public keys of this server, old ones included, by use. */
export function publicKeysRoute(
  app: FastifyInstance,
  url: string,
  keys: Readonly<Record<string, { readonly publicKeys: readonly PublicKey[] }>>,
): void {
  app.get(url, async (_request, reply) =>
    reply
      .header('Cache-Control', 'no-cache')
      .send({
        keys: Object.entries(keys).flatMap(([use, { publicKeys }]) => publicKeys.map((key) => ({ ...key, for: use }))),
      }),
  );
}
