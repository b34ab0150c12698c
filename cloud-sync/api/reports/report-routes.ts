import type { FastifyInstance } from 'fastify';
import { analyticsSchema, errorLogSchema } from '../../../src/protocol/cloud-http';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';

const BODY_LIMIT = 16 * 1024;
/** An app in trouble says so a few times, not for ever. */
const REPORTS_A_MINUTE = 30;

/** `POST /api/log`: an error that an app met (3§ "Error logging"); `POST /api/analytics`: what it counts of its use. Anyone may; few at a time. */
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
