import type { FastifyInstance } from 'fastify';
import {
  USAGE_BYTES_MAX,
  analyticsSchema,
  closeErrorGroupSchema,
  errorGroupsParamsSchema,
  errorLogSchema,
  usageEventsOf,
} from '../../../src/protocol/cloud-http';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';

const BODY_LIMIT = 16 * 1024;
const REPORTS_A_MINUTE = 30;

/**
 * Routes `POST /api/log`: an app's error (3§7 "Error logging"); `POST /api/analytics`: its usage counts. Open to anyone,
 * rate limited. `GET /api/errors`, `POST /api/errors/close`: groups of error reports, for staff.
 */
export function reportRoutes(app: FastifyInstance, context: CloudContext): void {
  const { errorGroups, usageCounts } = context;
  const rateLimited = { bodyLimit: BODY_LIMIT, config: { rateLimit: { max: REPORTS_A_MINUTE, timeWindow: 60_000 } } };

  app.post('/api/log', rateLimited, async (request) => {
    await errorGroups.add(parseInput(errorLogSchema, request.body));
    return { ok: true };
  });

  app.get('/api/errors', async (request, reply) => {
    const { closed } = parseInput(errorGroupsParamsSchema, { ...(request.query as object) }, 'params');
    const [groups, counts] = await Promise.all([errorGroups.list(closed !== undefined), errorGroups.count()]);
    return reply.header('Cache-Control', 'no-store').send({ ok: true, groups, ...counts });
  });

  app.post('/api/errors/close', async (request) => {
    const { id, count } = parseInput(closeErrorGroupSchema, request.body);
    const closed = await errorGroups.close(id, count);
    context.log.info({ id, closed, by: request.cloudCaller.person }, 'staff closed a group of error reports');
    return { ok: true, closed };
  });

  app.post('/api/analytics', { ...rateLimited, bodyLimit: USAGE_BYTES_MAX }, async (request) => {
    await usageCounts.add(usageEventsOf(parseInput(analyticsSchema, request.body)));
    return { ok: true };
  });
}
