import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { opIdSchema } from '../../../src/domain/ids';
import { quarantineParamsSchema } from '../../../src/protocol/cloud-http';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';

const opSchema = z.object({ opId: opIdSchema });

/**
 * Routes `GET /api/quarantine`: quarantined operations, oldest first; `POST /api/quarantine/<opId>/release`: releases
 * one.
 */
export function quarantineRoutes(app: FastifyInstance, context: CloudContext): void {
  app.get('/api/quarantine', async (request, reply) => {
    const { since, limit } = parseInput(quarantineParamsSchema, { ...(request.query as object) }, 'params');
    const items = await context.store.quarantined({ since, limit });
    return reply.header('Cache-Control', 'no-store').send({ ok: true, items, next: items.at(-1)?.seq ?? since });
  });

  app.post('/api/quarantine/:opId/release', async (request) => {
    const { opId } = parseInput(opSchema, { ...(request.params as object) }, 'opId');
    const receipt = await context.store.release(opId);
    await context.intake.onReleased(receipt);
    context.log.info({ opId }, 'an operation was released from quarantine');
    return { ok: true, receipt };
  });
}
