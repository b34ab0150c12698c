import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseInput } from '../../src/server/http/parse';
import type { EdgeContext } from '../context';
import { scopeOf } from '../socket/connection';

const idSchema = z.string().min(1).max(200);
const surveysSchema = z.looseObject({ featureId: idSchema.optional() });
const imagesSchema = z.looseObject({ surveyId: idSchema });

/**
 * Socket queries over HTTP, unwrapped (protocol, Edge socket 8). `changes` is the bridge's: everything. `GET
 * /edge/surveys?featureId=` and `GET /edge/images?surveyId=`: the cards of a reef's surveys and their photographs.
 */
export function statsRoutes(app: FastifyInstance, context: EdgeContext): void {
  for (const name of ['meta', 'gps', 'surveys', 'locations', 'senders'] as const) {
    app.get(`/edge/${name}`, async (request, reply) => {
      const { featureId } =
        name === 'surveys' ? parseInput(surveysSchema, { ...(request.query as object) }, 'query') : {};
      const data =
        featureId !== undefined
          ? context.queries.surveysOn(featureId)
          : await context.queries.run(name, undefined, scopeOf(request.caller.session) ?? 'admin');
      // Fastify sends no body for null; JSON has one.
      return reply
        .type('application/json; charset=utf-8')
        .header('Cache-Control', 'no-store')
        .send(JSON.stringify(data));
    });
  }
  app.get('/edge/images', async (request, reply) => {
    const { surveyId } = parseInput(imagesSchema, { ...(request.query as object) }, 'query');
    return reply.header('Cache-Control', 'no-store').send(context.queries.imagesOf(surveyId));
  });
  app.get<{ Querystring: Record<string, unknown> }>('/edge/track', async (request, reply) =>
    reply.header('Cache-Control', 'no-store').send(context.queries.track({ ...request.query })),
  );
  // A query becomes a plain JSON object only when copied.
  app.get<{ Querystring: Record<string, unknown> }>('/edge/changes', async (request, reply) =>
    reply.header('Cache-Control', 'no-store').send(await context.queries.changes({ ...request.query }, 'admin')),
  );
}
