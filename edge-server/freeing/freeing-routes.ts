import type { FastifyInstance } from 'fastify';
import type { FreeingReply } from '../../src/protocol/edge-http';
import { freeingSchema } from '../../src/protocol/edge-http';
import { parseInput } from '../../src/server/http/parse';
import type { EdgeContext } from '../context';

/**
 * `POST /edge/freeing` {}: the box's question to the cloud; {answer}: the cloud's answer. The box decides what to free;
 * see `freeing.ts`.
 */
export function freeingRoutes(app: FastifyInstance, { freeing }: Pick<EdgeContext, 'freeing'>): void {
  app.post('/edge/freeing', async (request): Promise<FreeingReply> => {
    const { answer } = parseInput(freeingSchema, request.body ?? {});
    const freed = answer === undefined ? null : await freeing.applyAnswer(answer);
    return { ok: true, freed, ask: answer === undefined ? await freeing.createQuestion() : null };
  });
}
