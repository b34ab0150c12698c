import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { formatCount } from '../../../src/base/plural';
import { formatAge } from '../../../src/domain/position/format-position';
import { idSchema } from '../../../src/domain/ids';
import type { FleetBox, FleetReport } from '../../../src/protocol/cloud-http';
import { boxRegistrationSchema, fleetReportSchema } from '../../../src/protocol/cloud-http';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';
import type { BoxRow } from './boxes';

const DAY_MS = 86_400_000;
/** Silence after which a box with unsent work gets a warning. */
const SILENT_MS = 14 * DAY_MS;
const OWED_MS = 30 * DAY_MS;
const DRIFT_MS = 5 * 60_000;
const NEARLY_FULL = 0.1;

const nodeSchema = z.object({ node: idSchema });

/** Fleet routes: reports of boxes, the list for staff, registration and revocation (protocol, fleet). */
export function fleetRoutes(app: FastifyInstance, context: CloudContext): void {
  app.get('/api/fleet', async (_request, reply) => {
    const [rows, unused] = await Promise.all([context.boxes.list(), context.boxes.listUnused()]);
    const now = context.clock();
    const boxes: FleetBox[] = rows.map((row) => ({
      node: row.node,
      name: row.name,
      firstSeenAt: row.firstSeenAt.toISOString(),
      lastSeenAt: row.lastSeenAt.toISOString(),
      revokedAt: row.revokedAt?.toISOString() ?? null,
      report: row.report,
      warnings: warningsOf(row, now, context.version),
    }));
    const registered = unused.map(({ id, name, node, createdAt }) => ({
      id,
      name,
      node,
      createdAt: createdAt.toISOString(),
    }));
    return reply.header('Cache-Control', 'no-store').send({ ok: true, boxes, registered });
  });

  app.post('/api/fleet/report', async (request) => {
    const report = parseInput(fleetReportSchema, request.body) as FleetReport;
    const caller = await context.callers.forNode(request, request.cloudCaller, report.node);
    if (caller.node !== null) await context.boxes.saveReport(caller.node, report);
    return { ok: true, time: new Date(context.clock()).toISOString() };
  });

  app.post('/api/fleet/boxes', async (request) => {
    const { name, node } = parseInput(boxRegistrationSchema, request.body);
    const { id, token } = await context.boxes.register(name, node ?? null);
    context.log.info({ id, node: node ?? null }, 'a box was registered');
    return { ok: true, id, token };
  });

  app.post('/api/fleet/boxes/:node/revoke', async (request) => {
    const { node } = parseInput(nodeSchema, { ...(request.params as object) }, 'node');
    await context.boxes.revoke(node);
    context.log.warn({ node }, 'a box was revoked');
    return { ok: true };
  });
}

function warningsOf({ report, lastSeenAt, revokedAt }: BoxRow, now: number, version: string): string[] {
  if (revokedAt !== null) return ['This box is revoked: what it holds stays aboard.'];
  if (report === null) return [];
  const warnings: string[] = [];
  const owes = report.owed.ops > 0 || report.owed.images > 0;
  const silentMs = now - lastSeenAt.getTime();
  if (owes && silentMs > SILENT_MS)
    warnings.push(
      `Not heard of for ${Math.floor(silentMs / DAY_MS)} days, with ${formatCount(report.owed.images, 'photograph')} still aboard.`,
    );
  const oldest = report.oldestUnsentAt === null ? NaN : Date.parse(report.oldestUnsentAt);
  if (now - oldest > OWED_MS)
    warnings.push(`The oldest record that is only aboard is ${Math.floor((now - oldest) / DAY_MS)} days old.`);
  if (report.disk !== null && report.disk.size > 0 && report.disk.free / report.disk.size < NEARLY_FULL)
    warnings.push(
      `The disk is nearly full: ${Math.round((100 * report.disk.free) / report.disk.size)} % free. At its limit tablets keep their photographs.`,
    );
  if (report.clockDriftMs !== null && Math.abs(report.clockDriftMs) > DRIFT_MS)
    warnings.push(
      `Its clock is ${formatAge(Math.abs(report.clockDriftMs))} ${report.clockDriftMs > 0 ? 'ahead' : 'behind'}. The crew has to set it.`,
    );
  if (report.paused !== null) warnings.push(`Nothing moves: ${report.paused}`);
  if (report.version !== version) warnings.push(`Runs version ${report.version}; this service is ${version}.`);
  return warnings;
}
