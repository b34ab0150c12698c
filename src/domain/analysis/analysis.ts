import { z } from 'zod';
import type { RecordDefinition } from '../record';

/** Analysis record (2§3): free-draw, step by step or expert. It is one field of the fold: read here, never rebuilt. */
const analysisSchema = z.looseObject({
  id: z.string(),
  /** 1, 2.1 to 2.4, 3 to 3.2, 4 or 5 (2§4). */
  version: z.union([z.number(), z.string()]).nullish(),
  updated: z.string().nullish(),
  image: z.looseObject({ id: z.string(), path: z.string().nullish() }).nullish(),
  survey: z.looseObject({ id: z.string(), name: z.string().nullish(), regionId: z.string().nullish() }).nullish(),
  user: z.looseObject({ uid: z.string().nullish() }).nullish(),
  stats: z.looseObject({ coverage: z.number().nullish() }).nullish().catch(null),
  verified: z.boolean().nullish(),
  eventTags: z.array(z.string()).nullish().catch(null),
  /** Traces as base64 geobuf. */
  geobuf_string: z.string().nullish(),
  isDeleted: z.boolean().default(false),
  deletedAt: z.string().nullish(),
  createdAt: z.string().optional(),
});

export const ANALYSIS: RecordDefinition<typeof analysisSchema> = { version: 1, migrations: [], schema: analysisSchema };
