import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../../src/domain/errors';
import { REPORTING_MESSAGES } from '../../../src/domain/messages';
import {
  datasetCommandSchema,
  datasetIdSchema,
  datasetLinkSchema,
  datasetPatchSchema,
  datasetRegionSchema,
} from '../../../src/protocol/datasets';
import { toReefError } from '../../../src/server/http/errors';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';
import { toDatabaseError } from '../postgres/database-error';

type WithId = { readonly Params: { readonly id: string } };

/** Commands over datasets, for staff and admins (1§6 "links datasets to surveys and features", 3§7). */
export function datasetRoutes(app: FastifyInstance, { datasets, log }: Pick<CloudContext, 'datasets' | 'log'>): void {
  /** Answers a failure with the sentence of 3§8; `reason` contains what to correct. */
  const failAs = async <T>(message: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      const error = toDatabaseError(thrown) ?? toReefError(thrown);
      if (error.code === 'internal') log.error({ err: thrown }, message);
      else log.info({ code: error.code, reason: error.message }, message);
      throw new ReefError(error.code, {
        ...error.details,
        message,
        ...(error.code === 'internal' ? {} : { reason: error.message }),
        cause: thrown,
      });
    }
  };
  const idOf = (params: WithId['Params']): string => parseInput(datasetIdSchema, params.id, 'id');

  app.post('/api/datasets', async (request) => ({
    ok: true,
    ...(await failAs(REPORTING_MESSAGES.datasetCreateFailed, () => datasets.create(request.body))),
  }));

  app.patch<WithId>('/api/datasets/:id', async (request) => {
    const { regionId, ...patch } = parseInput(datasetPatchSchema, request.body);
    const name = { regionId, datasetId: idOf(request.params) };
    // 3§8 has one sentence for both ways of an upsert.
    return { ok: true, ...(await failAs(REPORTING_MESSAGES.datasetCreateFailed, () => datasets.edit(name, patch))) };
  });

  app.delete<WithId>('/api/datasets/:id', async (request) => {
    const { regionId } = parseInput(datasetRegionSchema, { ...(request.query as object) }, 'params');
    return { ok: true, ...(await datasets.remove({ regionId, datasetId: idOf(request.params) })) };
  });

  app.post<WithId>('/api/datasets/:id/restore', async (request) => {
    const { regionId } = parseInput(datasetRegionSchema, request.body);
    return { ok: true, ...(await datasets.restore({ regionId, datasetId: idOf(request.params) })) };
  });

  app.post<WithId>('/api/datasets/:id/link', async (request) => {
    const { regionId, ...links } = parseInput(datasetLinkSchema, request.body);
    const name = { regionId, datasetId: idOf(request.params) };
    const by = request.cloudCaller.person ?? 'staff';
    const unknown: string[] = [];
    for (const [kind, message] of [
      ['surveys', REPORTING_MESSAGES.linkToSurveysFailed],
      ['features', REPORTING_MESSAGES.linkToFeaturesFailed],
    ] as const)
      if ((links[kind] ?? []).length > 0) {
        const only = { [kind]: links[kind], remove: links.remove };
        unknown.push(...(await failAs(message, () => datasets.link(name, only, by))).unknown);
      }
    return { ok: true, unknown };
  });

  app.post('/api/dataset-tag-surveys', async (request) => {
    const name = parseInput(datasetCommandSchema, request.body);
    return { ok: true, ...(await failAs(REPORTING_MESSAGES.someErrorOccurred, () => datasets.tagSurveys(name))) };
  });

  app.post('/api/dataset-reporting-stats-backfill', async (request) => {
    const name = parseInput(datasetCommandSchema, request.body);
    return { ok: true, stats: await failAs(REPORTING_MESSAGES.someErrorOccurred, () => datasets.backfill(name)) };
  });
}
