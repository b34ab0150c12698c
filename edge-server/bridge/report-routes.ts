import type { FastifyInstance } from 'fastify';
import { scrubReport } from '../../src/domain/error-report';
import { ReefError } from '../../src/domain/errors';
import type { ErrorLog, UsageEvent } from '../../src/protocol/cloud-http';
import { USAGE_BYTES_MAX, USAGE_EVENTS_MAX, analyticsSchema, usageEventsOf } from '../../src/protocol/cloud-http';
import type { WaitingReports, WaitingUsage } from '../../src/protocol/edge-http';
import { edgeLogSchema, reportsSentSchema } from '../../src/protocol/edge-http';
import { parseInput } from '../../src/server/http/parse';
import type { EdgeContext } from '../context';

const BODY_LIMIT = 16 * 1024;
const PER_MINUTE = { rateLimit: { max: 120, timeWindow: 60_000 } };
/** Reports of one answer: fewer than the shore takes of one network in a minute. */
const REPORTS_AT_ONCE = 20;

/**
 * Routes `POST /edge/log`: an error report of a tablet (3§7 "Error logging"), scrubbed; `GET /edge/log` and
 * `POST /edge/log/sent`: the bridge carries them ashore. `POST /edge/analytics`, `GET /edge/analytics` and
 * `POST /edge/analytics/sent`: the same with events of use (2§7 "Analytics events").
 */
export function reportRoutes(app: FastifyInstance, { errorReports, usage }: EdgeContext): void {
  app.post('/edge/log', { bodyLimit: BODY_LIMIT, config: PER_MINUTE }, async (request) => {
    const report = scrubReport(parseInput(edgeLogSchema, request.body));
    if (!errorReports.addReport(JSON.stringify(report))) throw new ReefError('storage-full');
    return { ok: true };
  });

  app.get('/edge/log', async (_request, reply): Promise<WaitingReports> => {
    reply.header('Cache-Control', 'no-store');
    const rows = errorReports.reports(REPORTS_AT_ONCE);
    return { ok: true, reports: rows.map(({ n, report }) => ({ n, report: JSON.parse(report) as ErrorLog })) };
  });

  app.post('/edge/log/sent', async (request) => {
    errorReports.removeReports(parseInput(reportsSentSchema, request.body).n);
    return { ok: true };
  });

  app.post('/edge/analytics', { bodyLimit: USAGE_BYTES_MAX, config: PER_MINUTE }, async (request) => {
    const events = usageEventsOf(parseInput(analyticsSchema, request.body));
    if (!usage.addUsage(events.map((event) => JSON.stringify(event)))) throw new ReefError('storage-full');
    return { ok: true };
  });

  app.get('/edge/analytics', async (_request, reply): Promise<WaitingUsage> => {
    reply.header('Cache-Control', 'no-store');
    const rows = usage.usage(USAGE_EVENTS_MAX);
    return { ok: true, events: rows.map(({ n, event }) => ({ n, event: JSON.parse(event) as UsageEvent })) };
  });

  app.post('/edge/analytics/sent', async (request) => {
    usage.removeUsage(parseInput(reportsSentSchema, request.body).n);
    return { ok: true };
  });
}
