import type { FastifyInstance } from 'fastify';
import type { ReefError } from '../../../src/domain/errors';
import { isObject } from '../../../src/domain/json';
import type { CloudOpResult, CloudOpsReply } from '../../../src/protocol/cloud-http';
import { cloudOpsSchema } from '../../../src/protocol/cloud-http';
import { toReefError } from '../../../src/server/http/errors';
import { opIdOf, runsOfAKind, startAll, startEach } from '../../../src/server/ops/op-runs';
import { parseForm } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';
import type { Caller } from '../access/caller';
import { DatabaseUnavailableError } from '../postgres/database-error';

const BODY_LIMIT = 32 * 1024 * 1024;

/** Route `POST /api/ops`: operations of a tablet, bridge or person; a bad one never stops the next. */
export function opsRoutes(app: FastifyInstance, context: CloudContext): void {
  app.post('/api/ops', { bodyLimit: BODY_LIMIT }, async (request): Promise<CloudOpsReply> => {
    const { node, ops } = parseForm(cloudOpsSchema, request.body);
    const caller =
      node === undefined ? request.cloudCaller : await context.callers.forNode(request, request.cloudCaller, node);
    const results: CloudOpResult[] = [];
    const taken = context.quotas.takeUpTo('ops', ops.length, caller, request.ip);
    // Operations of one kind share a commit; photograph records wait for the surveys before them.
    const runs = runsOfAKind(ops.slice(0, taken));
    for (const [n, run] of runs.entries()) {
      // The threads take their checks in order: those of this run come before those of the next.
      const submitted = await startAll(run, (item) => submitOne(context, caller, item));
      const prepared = startEach(runs[n + 1] ?? [], (item) => prepareOne(context, item));
      results.push(...(await Promise.all(submitted)));
      await prepared;
    }
    const error = context.quotas.refusal().toWire();
    return {
      ok: true,
      results: [...results, ...ops.slice(taken).map((item) => ({ opId: opIdOf(opOf(item)), error }))],
    };
  });
}

/** Begins to check a signature of the next run while this one is stored. */
function prepareOne({ intake }: CloudContext, item: unknown): Promise<void> {
  try {
    intake.prepare(opOf(item));
  } catch {
    // Its submission reports it.
  }
  return Promise.resolve();
}

async function submitOne(context: CloudContext, caller: Caller, item: unknown): Promise<CloudOpResult> {
  const value = opOf(item);
  const wrapped = value !== item && isObject(item);
  const opId = opIdOf(value);
  try {
    return {
      opId,
      ...(await context.intake.submit(value, caller, wrapped ? { by: item['by'], receipt: item['receipt'] } : {})),
    };
  } catch (error) {
    return { opId, error: toWireError(context, error) };
  }
}

/** Operation of an item, which may wrap it with what its sender knows of it. */
function opOf(item: unknown): unknown {
  return isObject(item) && isObject(item['op']) ? item['op'] : item;
}

function toWireError(context: CloudContext, thrown: unknown): ReturnType<ReefError['toWire']> {
  const error = toReefError(thrown);
  if (error instanceof DatabaseUnavailableError) context.log.warn({ reason: error.message }, 'an operation must wait');
  else if (error.code === 'internal') context.log.error({ err: thrown }, 'an operation could not be stored');
  return error.toWire();
}
