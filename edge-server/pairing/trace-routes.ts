import type { FastifyInstance } from 'fastify';
import { nodeTraceRoute, publicKeysRoute } from '../../src/server/http/node-trace-routes';
import type { EdgeContext } from '../context';

/** `GET /edge/trace`: the box's identity, signed over the caller's nonce; and `GET /edge/keys`. */
export function traceRoutes(app: FastifyInstance, context: EdgeContext): void {
  const { receiptKey, traceKey, bundleKey, personKey } = context;
  nodeTraceRoute(app, { url: '/edge/trace', network: 'edge' }, context);
  publicKeysRoute(app, '/edge/keys', { receipt: receiptKey, trace: traceKey, bundle: bundleKey, person: personKey });
}
