import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ReefError } from '../../src/domain/errors';
import type { PersonId } from '../../src/domain/ids';
import { idSchema } from '../../src/domain/ids';
import { isObject } from '../../src/domain/json';
import type { Op } from '../../src/domain/op/op';
import { parseOp } from '../../src/domain/op/op';
import { CLAIMED_ROLES } from '../../src/domain/policy/claimed-roles';
import type { OpResult, OpsReply } from '../../src/protocol/edge-http';
import { opsSchema } from '../../src/protocol/edge-http';
import type { Receipt } from '../../src/protocol/receipt';
import type { EdgeContext } from '../context';
import { toReefError } from '../../src/server/http/errors';
import { opIdOf, runsOfAKind, startEach } from '../../src/server/ops/op-runs';
import { parseForm } from '../../src/server/http/parse';
import type { Caller } from '../sign-in/caller';

/** Author's roles as known to the cloud; roles of a later version are ignored. */
const authorRolesSchema = z
  .array(z.string())
  .transform((roles) => CLAIMED_ROLES.filter((role) => roles.includes(role)));
const BODY_LIMIT = 32 * 1024 * 1024;

/** `POST /edge/ops`: operations and cloud receipts from the bridge; a bad one never blocks the next. */
export function opsRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.post('/edge/ops', { bodyLimit: BODY_LIMIT }, async (request): Promise<OpsReply> => {
    const brought = parseForm(opsSchema, request.body);
    const keys = context.reference.cloudKeys();
    const good: Receipt[] = [];
    const results: OpResult[] = [];
    // Operations sent together share one commit; photographs wait for earlier surveys.
    for (const run of runsOfAKind(brought.ops))
      results.push(...(await startEach(run, (item) => acceptOne(context, request.caller, item, good))));
    const errors: { opId: string | null; error: ReturnType<ReefError['toWire']> }[] = [];
    for (const item of brought.receipts) {
      try {
        good.push(await context.intake.checkCloudReceipt(item, keys));
      } catch (error) {
        errors.push({ opId: opIdOf(item), error: toWireError(context, error) });
      }
    }
    for (const { storedAt } of good) context.time.trust(Date.parse(storedAt));
    const added = good.length === 0 ? 0 : await context.store.addReceipts(good);
    context.time.commit(context.clock());
    return { ok: true, results, receipts: { added, errors } };
  });
}

/**
 * Accepts an operation, or `{op, receipt?, by?, roles?}`: with a cloud receipt a record may come without its bytes, and
 * a refused one goes to quarantine.
 */
async function acceptOne(context: EdgeContext, caller: Caller, item: unknown, good: Receipt[]): Promise<OpResult> {
  const paired = isObject(item) && isObject(item['op']);
  const value = paired ? item['op'] : item;
  try {
    const op: Op = parseOp(value);
    const vouched =
      paired && item['receipt'] !== undefined
        ? await context.intake.checkCloudReceipt(item['receipt'], context.reference.cloudKeys(), op)
        : undefined;
    // Author named by the submitter, if the operation names none.
    const by = paired && op.by === undefined ? idSchema.safeParse(item['by']) : undefined;
    const person = by?.success === true ? (by.data as PersonId) : null;
    const authorRoles = paired && vouched !== undefined ? authorRolesSchema.safeParse(item['roles']).data : undefined;
    const receipt = await context.intake.acceptOp(op, {
      person,
      roles: caller.roles,
      ...(vouched === undefined ? {} : { vouched }),
      ...(authorRoles === undefined ? {} : { authorRoles }),
    });
    if (vouched !== undefined) good.push(vouched);
    return { opId: op.opId, receipt };
  } catch (error) {
    return { opId: opIdOf(value), error: toWireError(context, error) };
  }
}

function toWireError(context: EdgeContext, thrown: unknown): ReturnType<ReefError['toWire']> {
  const error = toReefError(thrown);
  if (error.code === 'internal') context.log.error({ err: thrown }, 'an operation of the bridge failed');
  return error.toWire();
}
