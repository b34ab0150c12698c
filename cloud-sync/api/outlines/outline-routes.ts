import type { FastifyInstance } from 'fastify';
import { ML_REQUEST_PATH, mlRequestSchema, sizesOf } from '../../../src/protocol/outlines';
import { parseInput } from '../../../src/server/http/parse';
import { sendOutlines } from '../../../src/server/outlines/send-outlines';
import type { CloudContext } from '../context';
import { readerOf } from '../reads/query-routes';

/**
 * Route `GET /mlRequestJson` (1§7): outlines of a photograph, for those who may see its survey; to others, and without
 * any, "no result".
 */
export function outlineRoutes(app: FastifyInstance, { outlines, photographSurveys }: CloudContext): void {
  app.get(ML_REQUEST_PATH, async (request, reply) => {
    const asked = parseInput(mlRequestSchema, { ...(request.query as object) }, 'params');
    const found = await photographSurveys.find(asked.imageId, readerOf(request.cloudCaller));
    const sizes = sizesOf(asked, found?.region);
    if (found?.surveyId !== asked.surveyId) return sendOutlines(request, reply, null, sizes);
    const { surveyId, region, dirs } = found;
    const dir = asked.mlAnalysisDir ?? region?.mlAnalysisDir ?? '';
    const set = await outlines.find({ surveyId, imageId: asked.imageId, dir }, sizes, dirs.has(dir));
    return sendOutlines(request, reply, set, sizes);
  });
}
