import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { formatCount } from '../../../src/base/plural';
import { DEFAULT_REGION } from '../../../src/domain/region/region-id';
import type { RegionId } from '../../../src/domain/region/region-id';
import { regionIdSchema } from '../../../src/domain/region/region';
import type { AnswerComparison } from '../../../src/domain/results/estimates/comparison';
import { parseForm } from '../../../src/server/http/parse';
import { sendPage, themeOf } from '../../../src/server/pages/page';
import { CONSOLE_PATH } from './console-path';
import { figuresPage } from './figures-page';
import type { CallApi } from './held-routes';

const NOT_COMPARED: AnswerComparison = { model: null, citizens: null };
const regionSchema = z.object({ region: regionIdSchema.default(DEFAULT_REGION) });
const actionSchema = z.object({ do: z.enum(['renew', 'retry']), region: regionIdSchema });

/** Page of the figures: methods compared, photographs that cannot be computed, renewal of skill. */
export function figurePages(scope: FastifyInstance, callApi: CallApi): void {
  const facts = async (request: FastifyRequest, regionId: RegionId) => {
    const [{ photographs }, { items }] = await Promise.all([
      callApi(request, 'GET', '/api/figures/broken'),
      callApi(request, 'GET', `/api/query/answer-comparison?regionId=${regionId}`),
    ]);
    const [comparison = NOT_COMPARED] = items as readonly AnswerComparison[];
    return { regionId, comparison, broken: photographs as readonly { imageId: string; why: string }[] };
  };

  scope.get('/console/figures', async (request, reply) => {
    const { region } = parseForm(regionSchema, request.query);
    const theme = themeOf(request, reply, CONSOLE_PATH);
    return sendPage(reply, figuresPage({ ...(await facts(request, region)), done: null, theme }));
  });

  scope.post('/console/figures', async (request, reply) => {
    const action = parseForm(actionSchema, request.body);
    const theme = themeOf(request, reply, CONSOLE_PATH);
    let done = 'Skill is estimated now; figures follow.';
    if (action.do === 'renew') await callApi(request, 'POST', '/api/figures/renew', {});
    else {
      const { photographs } = await callApi(request, 'POST', '/api/figures/broken/retry', {});
      done = `${formatCount(Number(photographs), 'photograph')} will be computed again.`;
    }
    return sendPage(reply, figuresPage({ ...(await facts(request, action.region)), done, theme }));
  });
}
