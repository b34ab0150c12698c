import type { FastifyInstance } from 'fastify';
import { nodeTraceRoute, publicKeysRoute } from '../../../src/server/http/node-trace-routes';
import type { CloudContext } from '../context';

/** Routes `GET /trace`: signed identity of this cloud over the caller's nonce; `GET /api/keys`: public keys. */
export function traceRoutes(app: FastifyInstance, context: CloudContext): void {
  nodeTraceRoute(app, { url: '/trace', network: 'www' }, context);
  publicKeysRoute(app, '/api/keys', { receipt: context.receiptKey, trace: context.traceKey });
}
