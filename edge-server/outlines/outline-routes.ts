import type { FastifyInstance } from 'fastify';
import type { OutlineSet } from '../../src/domain/analysis/labelling/outline';
import { parseOutlines } from '../../src/domain/analysis/labelling/outline-collection';
import { ReefError } from '../../src/domain/errors';
import { idSchema } from '../../src/domain/ids';
import type { JsonObject } from '../../src/domain/json';
import { isObject } from '../../src/domain/json';
import type { Region } from '../../src/domain/region/region';
import { REGIONS_REFERENCE } from '../../src/domain/region/staff-regions';
import type { WantedOutlines, WantedOutlinesReply } from '../../src/protocol/edge-http';
import { wantedOutlinesParamsSchema } from '../../src/protocol/edge-http';
import type { MlRequest } from '../../src/protocol/outlines';
import {
  ML_REQUEST_PATH,
  OUTLINES_BYTES_MAX,
  broughtOutlinesParamsSchema,
  mlRequestSchema,
  sizesOf,
} from '../../src/protocol/outlines';
import { parseInput } from '../../src/server/http/parse';
import { sendOutlines } from '../../src/server/outlines/send-outlines';
import { StaffChangedRegions } from '../../src/server/outlines/staff-changed-regions';
import type { EdgeContext } from '../context';

/** Photographs of one answer to the bridge, and those looked at for it. */
const WANTED_MAX = 100;
const SCANNED_MAX = 5_000;

interface AshoreRow {
  readonly imageId: string;
  readonly surveyId: string;
}

/** Photographs of which the cloud has the bytes, by id. */
const ASHORE = `SELECT d.doc_id AS imageId, d.survey_id AS surveyId FROM docs d
  WHERE d.kind = 'image' AND d.doc_id > ? AND d.deleted = 0 AND d.survey_id IS NOT NULL
    AND EXISTS (SELECT 1 FROM image_blobs b WHERE b.image_id = d.doc_id AND b.ashore = 1)
  ORDER BY d.doc_id LIMIT ${SCANNED_MAX}`;

/**
 * Routes `GET /mlRequestJson` (1§7): outlines that the bridge brought, else "no result"; `GET /edge/outlines`,
 * `PUT /edge/outlines/<imageId>`: the bridge asks which are missing and brings them.
 */
export function outlineRoutes(app: FastifyInstance, context: EdgeContext): void {
  const { store, record, outlines, reference, blobs, settings } = context;
  const regions = new StaffChangedRegions();
  const regionOf = (survey: JsonObject): Region | undefined => {
    const loc = isObject(survey['loc']) ? survey['loc'] : {};
    return regions.of(reference.get(REGIONS_REFERENCE)).find(({ regionId }) => regionId === loc['regionId']);
  };

  app.get(ML_REQUEST_PATH, async (request, reply) => {
    const asked = parseInput(mlRequestSchema, { ...(request.query as object) }, 'params');
    const [image, survey] = await Promise.all([
      store.document('image', asked.imageId),
      store.document('survey', asked.surveyId),
    ]);
    const link = image?.folded.doc['survey'];
    const isShown =
      image?.folded.deleted === false &&
      survey?.folded.deleted === false &&
      isObject(link) &&
      link['id'] === asked.surveyId;
    const region = isShown ? regionOf(survey.folded.doc) : undefined;
    const sizes = sizesOf(asked, region);
    const found = isShown ? outlines.find(asked.imageId) : null;
    return sendOutlines(request, reply, found !== null && isFit(found, asked, region) ? found.set : null, sizes);
  });

  app.get('/edge/outlines', async (request, reply): Promise<WantedOutlinesReply> => {
    const { after = '' } = parseInput(wantedOutlinesParamsSchema, { ...(request.query as object) }, 'params');
    reply.header('Cache-Control', 'no-store');
    const wanted: WantedOutlines[] = [];
    const rows = record.database.prepare<[string], AshoreRow>(ASHORE).all(after);
    for (const { imageId, surveyId } of rows) {
      if (!outlines.has(imageId)) {
        const { minSize, maxSize } = sizesOf(
          {},
          regionOf((await store.document('survey', surveyId))?.folded.doc ?? {}),
        );
        wanted.push({ surveyId, imageId, polygonThreshold: minSize, maxPolygonThreshold: maxSize });
      }
      if (wanted.length === WANTED_MAX) return { ok: true, wanted, next: imageId };
    }
    return { ok: true, wanted, next: rows.length < SCANNED_MAX ? null : (rows.at(-1)?.imageId ?? null) };
  });

  app.put<{ Params: { imageId: string } }>(
    '/edge/outlines/:imageId',
    { bodyLimit: OUTLINES_BYTES_MAX },
    async (request) => {
      const imageId = parseInput(idSchema, request.params.imageId, 'imageId');
      const { polygonThreshold } = parseInput(broughtOutlinesParamsSchema, { ...(request.query as object) }, 'params');
      const parsed = parseOutlines(request.body);
      if (parsed.kind === 'broken') throw new ReefError('bad-message', { field: 'body', message: parsed.reason });
      if ((await store.document('image', imageId)) === undefined) throw new ReefError('not-found');
      // Photographs go first on a disk that is nearly full.
      if ((await blobs.disk()).free < settings.minFreeBytes) throw new ReefError('storage-full');
      outlines.put(imageId, { set: parsed.set, minSize: polygonThreshold });
      return { ok: true };
    },
  );
}

/**
 * True if stored outlines answer a request. Those of a model are those of the region's folder; a segmentation for larger
 * regions is none for smaller ones, which the tablet then makes itself.
 */
function isFit(
  { set, minSize }: { readonly set: OutlineSet; readonly minSize: number },
  asked: MlRequest,
  region: Region | undefined,
): boolean {
  if (set.source === 'model') return asked.mlAnalysisDir === undefined || asked.mlAnalysisDir === region?.mlAnalysisDir;
  return sizesOf(asked, region).minSize >= minSize;
}
