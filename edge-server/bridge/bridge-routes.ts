import type { FastifyInstance } from 'fastify';
import type { BridgeReport } from '../../src/protocol/cloud-http';
import { bridgeReportSchema } from '../../src/protocol/cloud-http';
import type { BridgeState, BridgeStatusReply } from '../../src/protocol/edge-http';
import { bridgeSchema } from '../../src/protocol/edge-http';
import type { EdgeContext } from '../context';
import { isoNow } from '../context';
import { parseInput } from '../../src/server/http/parse';
import { ReefError } from '../../src/domain/errors';

const PAUSED_KEY = 'bridge.paused';
const VERIFY_KEY = 'bridge.verify';
const REPORT_KEY = 'bridge.report';

const latestReports = new WeakMap<EdgeContext, BridgeReport>();

/** Returns the console's commands for the bridge. */
export function bridgeState(context: EdgeContext): BridgeState {
  return {
    paused: context.state.setting(PAUSED_KEY) === 'yes',
    verifyRequestedAt: context.state.setting(VERIFY_KEY) ?? null,
  };
}

/** Returns the bridge's last report; null if none has come yet. */
export function bridgeReport(context: EdgeContext): BridgeReport | null {
  const known = latestReports.get(context);
  if (known !== undefined) return known;
  const kept = context.state.setting(REPORT_KEY);
  const parsed = kept === undefined ? undefined : bridgeReportSchema.safeParse(JSON.parse(kept));
  return parsed?.data ?? null;
}

/**
 * `POST /edge/bridge` {action: pause | resume | verify | status}: commands, which the bridge polls with `status`;
 * {action: report, report}: its progress. `GET /edge/bridge` returns both.
 */
export function bridgeRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get('/edge/bridge', async (_request, reply): Promise<BridgeStatusReply> => {
    reply.header('Cache-Control', 'no-store');
    return { ok: true, ...bridgeState(context), report: bridgeReport(context) };
  });

  app.post('/edge/bridge', async (request) => {
    const { action, report } = parseInput(bridgeSchema, request.body);
    if (action === 'pause' || action === 'resume' || action === 'verify') sendBridgeCommand(context, action);
    if (action === 'report') {
      if (report === undefined) throw new ReefError('bad-message', { field: 'report', message: 'report is missing.' });
      storeReport(context, report);
    }
    return {
      ok: true,
      ...bridgeState(context),
      ...(action === 'status' ? { freeing: await context.freeing.isDue() } : {}),
    };
  });
}

/** Stores a command of the crew; the bridge reads it at its next poll. */
export function sendBridgeCommand(context: EdgeContext, action: 'pause' | 'resume' | 'verify'): void {
  if (action === 'verify') context.state.setSetting(VERIFY_KEY, isoNow(context));
  else context.state.setSetting(PAUSED_KEY, action === 'pause' ? 'yes' : 'no');
}

/** Progress stays in memory; only changes that matter after a restart go to the disk. */
function storeReport(context: EdgeContext, report: BridgeReport): void {
  const before = bridgeReport(context);
  latestReports.set(context, report);
  if (before?.state !== report.state || before.verified?.at !== report.verified?.at)
    context.state.setSetting(REPORT_KEY, JSON.stringify(report));
}
