import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { PersonId } from '../../../src/domain/ids';
import { opIdSchema } from '../../../src/domain/ids';
import type { QuarantineSelection } from '../../../src/protocol/quarantine';
import {
  QUARANTINE_AT_ONCE,
  quarantineGroupsParamsSchema,
  quarantineParamsSchema,
  quarantineRestoreSchema,
  quarantineSelectionSchema,
} from '../../../src/protocol/quarantine';
import type { Receipt } from '../../../src/protocol/receipt';
import { toReefError } from '../../../src/server/http/errors';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';
import { findQuarantinedOp } from './quarantine';
import {
  countQuarantined,
  dismiss,
  findQuarantined,
  groupQuarantined,
  namesOfQuarantined,
  restoreDismissed,
} from './quarantine-groups';

const opSchema = z.object({ opId: opIdSchema });

/**
 * Routes of the quarantine, for staff: `GET /api/quarantine`, a page of what matches, oldest first; `/groups`, the same
 * in groups; `POST …/<opId>/release`; `/release`, `/dismiss` and `/restore` of many.
 */
export function quarantineRoutes(app: FastifyInstance, context: CloudContext): void {
  const { pool } = context.database;

  app.get('/api/quarantine', async (request, reply) => {
    const { since, limit, ...filter } = parseInput(quarantineParamsSchema, { ...(request.query as object) }, 'params');
    const { items, more } = await findQuarantined(pool, filter, { since, limit });
    return reply.header('Cache-Control', 'no-store').send({ ok: true, items, next: items.at(-1)?.seq ?? since, more });
  });

  app.get('/api/quarantine/groups', async (request, reply) => {
    const { by, ...filter } = parseInput(quarantineGroupsParamsSchema, { ...(request.query as object) }, 'params');
    const [groups, total] = await Promise.all([groupQuarantined(pool, filter, by), countQuarantined(pool, filter)]);
    return reply.header('Cache-Control', 'no-store').send({ ok: true, groups, total });
  });

  app.post('/api/quarantine/:opId/release', async (request) => {
    const { opId } = parseInput(opSchema, { ...(request.params as object) }, 'opId');
    return { ok: true, receipt: await release(context, opId) };
  });

  app.post('/api/quarantine/release', async (request) => {
    const selection = parseInput(quarantineSelectionSchema, request.body);
    const opIds = await namesOf(context, selection);
    const failed: { readonly opId: string; readonly error: object }[] = [];
    for (const opId of opIds) {
      try {
        await release(context, opId);
      } catch (error) {
        failed.push({ opId, error: toReefError(error).toWire() });
      }
    }
    const left = 'group' in selection ? await countQuarantined(pool, selection.group, selection.upTo) : 0;
    return { ok: true, done: opIds.length - failed.length, failed, left };
  });

  app.post('/api/quarantine/dismiss', async (request) => {
    const selection = parseInput(quarantineSelectionSchema, request.body);
    const { person } = request.cloudCaller;
    const at = new Date(context.clock());
    const done = await ('group' in selection
      ? dismiss(pool, selection.group, { upTo: selection.upTo, by: person, at })
      : dismiss(pool, { opIds: selection.opIds }, { by: person, at }));
    context.log.info({ done, by: person }, 'operations in quarantine were dismissed');
    return { ok: true, done };
  });

  app.post('/api/quarantine/restore', async (request) => {
    const { opIds } = parseInput(quarantineRestoreSchema, request.body);
    return { ok: true, done: await restoreDismissed(pool, opIds) };
  });
}

/** Names of what is selected: of a group, the oldest. */
async function namesOf({ database }: CloudContext, selection: QuarantineSelection): Promise<readonly string[]> {
  if ('opIds' in selection) return selection.opIds;
  const { group, upTo } = selection;
  return namesOfQuarantined(database.pool, group, { upTo, limit: QUARANTINE_AT_ONCE });
}

async function release(context: CloudContext, opId: string): Promise<Receipt> {
  const receipt = await context.store.release(opId);
  const released = await findQuarantinedOp(context.database.pool, opId);
  await restoreDismissed(context.database.pool, [opId]);
  if (released !== undefined)
    await context.intake.onReleased(released.op, (released.op.by ?? released.by) as PersonId | null);
  context.log.info({ opId }, 'an operation was released from quarantine');
  return receipt;
}
