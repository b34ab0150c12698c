import { z } from 'zod';
import { idSchema } from '../domain/ids';
import { LIMITS } from '../domain/limits';
import type { Region } from '../domain/region/region';

/** Path of a photograph's outlines at box and cloud, and at the service that `ML_URL` names (1§7). */
export const ML_REQUEST_PATH = '/mlRequestJson';

/** Status of an answer without outlines (1§7: "Status 500 means no result"). */
export const NO_OUTLINES_STATUS = 500;

/** Largest collection of outlines that a node takes from another, bytes of JSON. */
export const OUTLINES_BYTES_MAX = 4 * 1024 * 1024;

/** Sizes that outlines may have, as fractions of the picture. */
export interface OutlineSizes {
  readonly minSize: number;
  readonly maxSize: number;
}

/** Sizes for which a model service is asked: all that any region or expert may ask for. */
export const MODEL_SIZES: OutlineSizes = {
  minSize: LIMITS.polygonFilterExpert.minSize,
  maxSize: LIMITS.maxPolygonThreshold,
};

const fraction = z
  .string()
  .regex(/^(?:[0-9]{1,20}\.?[0-9]{0,20}|\.[0-9]{1,20})(?:e-?[0-9]{1,2})?$/, 'is not a number')
  .transform(Number)
  .pipe(z.number('is not a number').min(0, 'must be at least 0').max(1, 'must be at most 1'));

/** Query of `GET /mlRequestJson` (1§7). The region of the photograph has a folder and sizes for what is absent. */
export const mlRequestSchema = z.object({
  surveyId: idSchema,
  imageId: idSchema,
  mlAnalysisDir: z
    .string()
    .regex(/^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$/, 'is not the name of a folder')
    .optional(),
  polygonThreshold: fraction.optional(),
  maxPolygonThreshold: fraction.optional(),
});
export type MlRequest = z.infer<typeof mlRequestSchema>;

/** Query of `PUT /edge/outlines/<imageId>`: the least size for which the bridge asked. */
export const broughtOutlinesParamsSchema = z.object({ polygonThreshold: fraction });

/**
 * Sizes of a request: what it names, else the region's own, else the defaults of the call (1§7).
 *
 * @param region undefined: unknown
 */
export function sizesOf(
  { polygonThreshold, maxPolygonThreshold }: Pick<MlRequest, 'polygonThreshold' | 'maxPolygonThreshold'>,
  region: Pick<Region, 'polygonFilter'> | undefined,
): OutlineSizes {
  return {
    minSize: polygonThreshold ?? region?.polygonFilter.minSize ?? LIMITS.polygonThreshold,
    maxSize: maxPolygonThreshold ?? region?.polygonFilter.maxSize ?? LIMITS.maxPolygonThreshold,
  };
}
