import { z } from 'zod';
import { VALIDATION_MESSAGES } from '../domain/messages';
import { regionIdSchema } from '../domain/region/region';

const LINKS_MAX = 1000;
const NAME_MAX = 200;

const requiredText = (message: string) =>
  z
    .string(message)
    .min(1, message)
    .max(NAME_MAX)
    .regex(/^[^\u0000]*$/, 'holds a character that no id has');

/** Id of a dataset (1§5). */
export const datasetIdSchema = requiredText(VALIDATION_MESSAGES.datasetIdRequired);
/** Id of a map feature (1§5). */
export const featureIdSchema = requiredText(VALIDATION_MESSAGES.featureIdRequired);

/** Payload of `dataset-tag-surveys` and `dataset-reporting-stats-backfill` (3§7). */
export const datasetCommandSchema = z.object({ regionId: regionIdSchema, datasetId: datasetIdSchema });

/** Region of the dataset in the address. */
export const datasetRegionSchema = z.object({ regionId: regionIdSchema });

/** Changes of a dataset, with its region. */
export const datasetPatchSchema = z.looseObject({ regionId: regionIdSchema });

/** Surveys and features to link to a dataset; `remove`: to unlink. */
export const datasetLinkSchema = z
  .object({
    regionId: regionIdSchema,
    surveys: z.array(requiredText(VALIDATION_MESSAGES.surveyIdRequired)).max(LINKS_MAX).optional(),
    features: z.array(featureIdSchema).max(LINKS_MAX).optional(),
    remove: z.boolean().optional(),
  })
  .refine(({ surveys = [], features = [] }) => surveys.length + features.length > 0, {
    message: 'has neither surveys nor features',
    path: ['surveys'],
  });
