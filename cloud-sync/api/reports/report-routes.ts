import type { FastifyInstance } from 'fastify';
import { analyticsSchema, errorLogSchema } from '../../../src/protocol/cloud-http';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';

const BODY_LIMIT = 16 * 1024;
const REPORTS_A_MINUTE = 30;

/**
 * Routes `POST /api/log`: an app's error (3§ "Error logging"); `POST /api/analytics`: its usage counts. Open to anyone,
 * rate limited.
 */
export function reportRoutes(app: FastifyInstance, context: CloudContext): void {
  const rateLimited = { bodyLimit: BODY_LIMIT, config: { rateLimit: { max: REPORTS_A_MINUTE, timeWindow: 60_000 } } };

  app.post('/api/log', rateLimited, async (request) => {
    await context.reports.saveError(parseInput(errorLogSchema, request.body));
    return { ok: true };
  });

  app.post('/api/analytics', rateLimited, async (request) => {
    const { name, params } = parseInput(analyticsSchema, request.body);
    await context.reports.saveEvent(name, params ?? {});
    return { ok: true };
  });
}
