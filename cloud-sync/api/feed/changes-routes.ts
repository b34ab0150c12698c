import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../../src/domain/json';
import { cloudChangesParamsSchema } from '../../../src/protocol/changes';
import type { ChangeEntry, ChangesPage } from '../../../src/protocol/changes';
import type { ChangeScope } from '../../../src/server/ops/append-store';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';
import type { Caller } from '../access/caller';
import type { StreamLimits } from './event-streams';
import { EventStreams } from './event-streams';

/**
 * Routes `GET /api/changes?since=&limit=&node=`: a page of changes for the caller; `GET /api/changes/stream`: hints
 * that there are changes.
 */
export function changesRoutes(app: FastifyInstance, context: CloudContext, limits: Partial<StreamLimits> = {}): void {
  const streams = new EventStreams(context, limits);

  app.get('/api/changes', async (request, reply): Promise<ChangesPage> => {
    const { since, limit, node } = parseInput(cloudChangesParamsSchema, { ...(request.query as object) }, 'params');
    const scope = feedScope(await context.callers.forReader(request, request.cloudCaller, node));
    reply.header('Cache-Control', 'no-store');
    const page = await context.store.changes({ since, limit, ...(scope === undefined ? {} : { scope }) });
    return request.cloudCaller.roles.has('box')
      ? page
      : { ...page, entries: await Promise.all(page.entries.map((entry) => withImageLinks(context, entry))) };
  });

  // No HEAD route: an answer without a body would hold the connection open.
  app.get('/api/changes/stream', { exposeHeadRoute: false }, (request, reply) => {
    streams.requireRoom(request);
    // A hijacked answer bypasses Fastify's own headers.
    const headers = {
      ...reply.getHeaders(),
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    };
    reply.hijack();
    reply.raw.writeHead(200, headers as Record<string, string>);
    reply.raw.write('retry: 5000\n\n');
    streams.add(request, reply.raw);
  });

  // Fastify's close waits for every answer, and a stream never ends on its own.
  app.addHook('preClose', async () => streams.close());
}

async function withImageLinks(
  context: CloudContext,
  entry: ChangeEntry,
): Promise<ChangeEntry & { readonly owned?: JsonObject }> {
  if (entry.op?.kind !== 'image') return entry;
  const { docId } = entry.op;
  const { color_corrected: corrected, ml } = (await context.store.document('image', docId))?.owned ?? {};
  return {
    ...entry,
    owned: {
      ...context.imageLinks.linkFor(docId),
      ...(corrected === undefined ? {} : { color_corrected: corrected }),
      ...(ml === undefined ? {} : { ml }),
    },
  };
}

function feedScope({ roles, person, deviceId, node }: Caller): ChangeScope | undefined {
  return roles.has('staff') ? undefined : { person, deviceId, node };
}
