import { z } from 'zod';
import { ReefError } from '../errors';
import { VALIDATION_MESSAGES } from '../messages';
import { regionIdSchema } from '../region/region';
import { periodDays } from './census-year';

const ID_MAX = 60;
const NAME_MAX = 200;
const SHORT_NAME_MAX = 40;

const count = z.int().min(0);
const name = (max: number, what: string) =>
  z
    .string(`${what} is required`)
    .trim()
    .min(1, `${what} is required`)
    .max(max, `${what} must have at most ${max} characters`)
    // A line break or another control character would break tables and file names.
    .regex(/^\P{Cc}*$/u, `${what} must not contain control characters`);
/** Part of addresses and file names (`<dataset>/surveyed-reefs.csv`). */
const idSchema = z
  .string(VALIDATION_MESSAGES.datasetIdRequired)
  .min(1, VALIDATION_MESSAGES.datasetIdRequired)
  .max(ID_MAX, `Dataset ID must have at most ${ID_MAX} characters`)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'Dataset ID may contain letters, digits, hyphens and underscores only');

/** Dataset record (1§3 "Dataset"). `stats` are computed; unknown fields are retained. */
export const datasetSchema = z.looseObject({
  id: idSchema,
  regionId: regionIdSchema,
  name: name(NAME_MAX, 'Name'),
  shortName: name(SHORT_NAME_MAX, 'Short name'),
  /** First and last day, `YYYY-MM-DD`. */
  startDate: z.string('A start date is required'),
  endDate: z.string('An end date is required'),
  stats: z.object({ surveys: count, images: count }).default({ surveys: 0, images: 0 }),
  isDeleted: z.boolean().default(false),
  deletedAt: z.string().nullish(),
  /** ISO 8601 times by the cloud's clock. */
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Dataset = z.infer<typeof datasetSchema>;

/** Fields that staff set; `id` and `regionId` only on creation. */
export const datasetInputSchema = datasetSchema
  .pick({ id: true, regionId: true, name: true, shortName: true, startDate: true, endDate: true })
  .strict();
const patchSchema = datasetInputSchema.omit({ id: true, regionId: true }).partial().strict();

/** Time of a write, ISO 8601, by the writing server's clock. */
interface WriteTime {
  readonly now: string;
}

/**
 * New dataset from what staff entered: id, regionId, name, shortName, startDate, endDate. Dates may overlap with other
 * datasets.
 *
 * @throws ReefError `bad-message` with `{field}`: a missing or unknown field, a date that does not exist, reversed dates
 */
export function createDataset(body: unknown, { now }: WriteTime): Dataset {
  const input = checked(datasetInputSchema, body);
  return withDays({ ...input, stats: { surveys: 0, images: 0 }, isDeleted: false, createdAt: now, updatedAt: now });
}

/**
 * Dataset with names or dates changed. Its id and region stay, as surveys and features refer to them.
 *
 * @throws ReefError `bad-message` with `{field}` as {@link createDataset}; for a deleted dataset too
 */
export function editDataset(dataset: Dataset, patch: unknown, { now }: WriteTime): Dataset {
  if (dataset.isDeleted)
    throw new ReefError('bad-message', { message: 'This dataset was deleted. Restore it to change it.', field: 'id' });
  const changes = Object.entries(checked(patchSchema, patch)).filter(([, value]) => value !== undefined);
  return withDays({ ...dataset, ...Object.fromEntries(changes), updatedAt: now });
}

/** Dataset marked as deleted (1§4 "Soft deletion"); one that was deleted before is returned as it is. */
export function deleteDataset(dataset: Dataset, { now }: WriteTime): Dataset {
  return dataset.isDeleted ? dataset : { ...dataset, isDeleted: true, deletedAt: now, updatedAt: now };
}

/** Deleted dataset in use again, as it was; one that was not deleted is returned as it is. */
export function restoreDataset(dataset: Dataset, { now }: WriteTime): Dataset {
  return dataset.isDeleted ? { ...dataset, isDeleted: false, deletedAt: null, updatedAt: now } : dataset;
}

function withDays(dataset: Dataset): Dataset {
  periodDays(dataset);
  return { ...dataset, startDate: dataset.startDate.slice(0, 10), endDate: dataset.endDate.slice(0, 10) };
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const field = unknownKey ?? (issue?.path.map(String).join('.') || 'body');
  throw new ReefError('bad-message', {
    message: unknownKey === undefined ? `${field}: ${issue?.message}.` : `${field} cannot be set on a dataset.`,
    field,
  });
}
