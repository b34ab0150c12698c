import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { formatCount } from '../../../src/base/plural';
import { DEFAULT_REGION } from '../../../src/domain/region/region-id';
import { regionIdSchema } from '../../../src/domain/region/region';
import { toReefError } from '../../../src/server/http/errors';
import { parseForm } from '../../../src/server/http/parse';
import { sendPage, themeOf } from '../../../src/server/pages/page';
import type { CloudContext } from '../context';
import { readDatasets } from '../datasets/dataset-rows';
import { lastImport } from '../region-data/map-imports';
import { CONSOLE_PATH } from './console-path';
import type { ListedDataset } from './datasets-page';
import { datasetsPage, sureToDelete } from './datasets-page';
import { notePage } from './fleet-page';
import type { CallApi } from './held-routes';

const TEXT_MAX = 20_000;
const regionSchema = z.object({ region: regionIdSchema.default(DEFAULT_REGION) });
const actionSchema = z.object({
  do: z.enum(['create', 'edit', 'link', 'tag', 'backfill', 'delete', 'restore']),
  region: regionIdSchema,
  id: z.string().max(TEXT_MAX).default(''),
  name: z.string().max(TEXT_MAX).optional(),
  shortName: z.string().max(TEXT_MAX).optional(),
  startDate: z.string().max(TEXT_MAX).optional(),
  endDate: z.string().max(TEXT_MAX).optional(),
  surveys: z.string().max(TEXT_MAX).default(''),
  features: z.string().max(TEXT_MAX).default(''),
  remove: z.literal('yes').optional(),
  sure: z.literal('yes').optional(),
});
type Action = z.infer<typeof actionSchema>;

/** Page of a region's datasets with their forms, and of its last import. */
export function datasetPages(scope: FastifyInstance, { database }: CloudContext, callApi: CallApi): void {
  const facts = async (request: FastifyRequest, regionId: Action['region']) => ({
    regionId,
    datasets: (await callApi(request, 'GET', `/api/query/datasets?regionId=${regionId}`))[
      'items'
    ] as unknown as readonly ListedDataset[],
    deleted: (await readDatasets(database.pool)).filter(
      (dataset) => dataset.regionId === regionId && dataset.isDeleted,
    ),
    lastImport: await lastImport(database.pool, regionId),
    done: null,
    undo: null,
    problem: null,
  });

  scope.get('/console/datasets', async (request, reply) => {
    const { region } = parseForm(regionSchema, request.query);
    const theme = themeOf(request, reply, CONSOLE_PATH);
    return sendPage(reply, datasetsPage({ ...(await facts(request, region)), theme }));
  });

  scope.post('/console/datasets', async (request, reply) => {
    const action = parseForm(actionSchema, request.body);
    const theme = themeOf(request, reply, CONSOLE_PATH);
    if (action.do === 'delete' && action.sure === undefined)
      return sendPage(reply, notePage('Delete this dataset?', sureToDelete(action.region, action), theme));
    try {
      const done = await run(action, (method, url, payload) => callApi(request, method, url, payload));
      const now = await facts(request, action.region);
      const undo = action.do === 'delete' ? (now.deleted.find(({ id }) => id === action.id) ?? null) : null;
      return await sendPage(reply, datasetsPage({ ...now, done, undo, theme }));
    } catch (thrown) {
      const { message, status, details } = toReefError(thrown);
      const reason = typeof details['reason'] === 'string' ? details['reason'] : null;
      const shown = { ...(await facts(request, action.region)), problem: { message, reason }, theme };
      return sendPage(reply, datasetsPage(shown), status);
    }
  });
}

type Call = (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => Promise<Record<string, unknown>>;

/** Runs an action; returns its outcome as a sentence. */
async function run(action: Action, call: Call): Promise<string> {
  const { region: regionId, id, name, shortName, startDate, endDate } = action;
  const fields = { name, shortName, startDate, endDate };
  const address = `/api/datasets/${encodeURIComponent(id)}`;
  switch (action.do) {
    case 'create':
      return written('created', await call('POST', '/api/datasets', { id, regionId, ...fields }));
    case 'edit':
      return written('changed', await call('PATCH', address, { regionId, ...fields }));
    case 'delete':
      return written('deleted', await call('DELETE', `${address}?regionId=${regionId}`));
    case 'restore':
      return written('restored', await call('POST', `${address}/restore`, { regionId }));
    case 'link': {
      const remove = action.remove !== undefined;
      const { unknown } = await call('POST', `${address}/link`, {
        regionId,
        surveys: ids(action.surveys),
        features: ids(action.features),
        remove,
      });
      const left = (unknown as readonly string[]).join(', ');
      return `The links were ${remove ? 'removed' : 'stored'}.${left === '' || remove ? '' : ` Left out, as the region does not have them: ${left}.`}`;
    }
    case 'tag': {
      const { surveys, changed } = await call('POST', '/api/dataset-tag-surveys', { regionId, datasetId: id });
      return `${formatCount(Number(surveys), 'survey')} in ${id}; ${formatCount(Number(changed), 'survey')} changed.`;
    }
    case 'backfill': {
      const { stats } = await call('POST', '/api/dataset-reporting-stats-backfill', { regionId, datasetId: id });
      const { surveys, images, reefs } = stats as Record<'surveys' | 'images' | 'reefs', number>;
      return `${id} has ${formatCount(surveys, 'survey')}, ${formatCount(images, 'image')} and ${formatCount(reefs, 'reef')}.`;
    }
  }
}

function written(verb: string, answer: Record<string, unknown>): string {
  const { dataset, note } = answer as { dataset: { shortName: string }; note: string | null };
  return `${dataset.shortName} was ${verb}.${note === null ? '' : ` ${note}`}`;
}

function ids(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((id) => id !== '');
}
