import type { FastifyInstance } from 'fastify';
import type { CloudContext } from '../context';

/** Routes of staff: skill is renewed now, and photographs that were set aside are listed and tried again. */
export function figureRoutes(app: FastifyInstance, { figureJobs, brokenFigures }: CloudContext): void {
  app.post('/api/figures/renew', async () => {
    await figureJobs.requestRenewal();
    return { ok: true };
  });

  app.get('/api/figures/broken', async () => ({ ok: true, photographs: await brokenFigures.list() }));

  app.post('/api/figures/broken/retry', async () => {
    const photographs = await brokenFigures.tryAgain();
    await figureJobs.request();
    return { ok: true, photographs };
  });
}
