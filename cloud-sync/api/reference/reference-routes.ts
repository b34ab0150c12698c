import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { datasetSchema } from '../../../src/domain/dataset/dataset';
import { ReefError } from '../../../src/domain/errors';
import type { JsonObject } from '../../../src/domain/json';
import { checkJson } from '../../../src/domain/json';
import { decideCloud, isAllowed } from '../../../src/domain/policy/cloud-policy';
import { REGION_IDS } from '../../../src/domain/region/region-id';
import { REGIONS_REFERENCE, staffRegionsSchema } from '../../../src/domain/region/staff-regions';
import { referenceNameSchema } from '../../../src/protocol/edge-http';
import { REVOCATIONS } from '../../../src/protocol/revocations';
import { parseForm, parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';
import { withCensusYear } from '../datasets/dataset-rows';
import { wantRefresh } from '../region-data/region-refresh';
import { SURVEY_PRIORITIES, setLabelPriorities } from '../store/label-pool';
import { replaceReferenceDocuments } from './reference-documents';
import { hasEtag } from '../../../src/server/http/conditional';
import { REFERENCE_COLLECTIONS } from '../reads/reference-reads';

const BODY_LIMIT = 64 * 1024 * 1024;

const documentsSchema = z.array(
  z.looseObject({
    id: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^\u0000]*$/, 'holds a character that no name has'),
  }),
);

const putDatasetSchema = z.looseObject({ id: z.string() });

/**
 * Reference data routes: written by staff, fetched by bridges and apps with ETags. A list named like a collection also
 * replaces that collection for the reads.
 */
export function referenceRoutes(app: FastifyInstance, context: CloudContext): void {
  app.get('/api/reference', async (_request, reply) =>
    reply.header('Cache-Control', 'no-cache').send({ ok: true, references: await context.referenceData.names() }),
  );

  app.get<{ Params: { name: string } }>('/api/reference/:name', async (request, reply) => {
    const name = parseInput(referenceNameSchema, request.params.name, 'name');
    if (name === REVOCATIONS && !isAllowed(request.cloudCaller.roles, 'read:revocations'))
      throw new ReefError(
        decideCloud('GET /api/me', request.cloudCaller.roles) === 'unauthorised' ? 'unauthorised' : 'forbidden',
      );
    const row = await context.referenceData.get(name);
    if (row === undefined) throw new ReefError('not-found', { name });
    reply
      .header('ETag', row.etag)
      .header('Cache-Control', 'no-cache')
      .header('Last-Modified', row.storedAt.toUTCString());
    if (hasEtag(request, row.etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(row.body);
  });

  app.put<{ Params: { name: string } }>('/api/reference/:name', { bodyLimit: BODY_LIMIT }, async (request) => {
    const name = parseInput(referenceNameSchema, request.params.name, 'name');
    if (name === REVOCATIONS)
      throw new ReefError('forbidden', { field: 'name', message: 'Revocations are computed and cannot be written.' });
    if (request.body === undefined)
      throw new ReefError('bad-message', { field: 'body', message: 'The body must be JSON.' });
    if (name === 'features')
      throw new ReefError('forbidden', {
        field: 'name',
        message:
          'Map features are imported with `npm run region:import`; what is computed over them cannot be written.',
      });
    checkJson(request.body, 'body');
    // A mistake would close a region or blank its chart on every tablet.
    if (name === REGIONS_REFERENCE) parseForm(staffRegionsSchema, request.body, 'body');
    const collection = REFERENCE_COLLECTIONS.find((one) => one === name);
    if (collection !== undefined && Array.isArray(request.body)) {
      if (collection === 'datasets') await putDatasets(context, request.body);
      else
        await replaceReferenceDocuments(
          context.database.pool,
          collection,
          parseForm(documentsSchema, request.body, 'body') as (JsonObject & { readonly id: string })[],
        );
    }
    const { etag, storedAt } = await context.referenceData.put(name, request.body);
    if (name === SURVEY_PRIORITIES) await setLabelPriorities(context.database.pool);
    return { ok: true, name, etag, storedAt: storedAt.toISOString() };
  });
}

/** Replaces all datasets; their surveys are placed again. Counts are computed, so those that were sent do not matter. */
async function putDatasets({ database, placeJobs, clock }: CloudContext, body: unknown): Promise<void> {
  const now = new Date(clock()).toISOString();
  const given = parseForm(z.array(putDatasetSchema), body, 'body');
  const datasets = given.map((dataset) => {
    const full = { stats: { surveys: 0, images: 0 }, isDeleted: false, createdAt: now, updatedAt: now, ...dataset };
    const parsed = parseForm(datasetSchema, full, 'body');
    return withCensusYear(parsed);
  });
  await replaceReferenceDocuments(database.pool, 'datasets', datasets as (JsonObject & { readonly id: string })[]);
  for (const regionId of REGION_IDS) await wantRefresh(database.pool, regionId);
  placeJobs.enqueueSoon();
}
