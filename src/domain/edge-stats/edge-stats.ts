import { z } from 'zod';

const count = z.int().min(0);

/** What the box holds: "meta totals" of the edge stats (1§3; protocol, `query` `meta`). Sizes in bytes. */
export const edgeMetaSchema = z.looseObject({
  totals: z.looseObject({ surveys: count, images: count, bytes: count, analyses: count, people: count }),
  /** Operations without a receipt from the cloud. */
  owed: count,
  disk: z.looseObject({ free: z.number(), size: z.number() }),
  time: z.string(),
  version: z.string(),
});
export type EdgeMetaStats = z.infer<typeof edgeMetaSchema>;

/** Where the vessel is: degrees, `age` in ms, `speed` in knots, `heading` in degrees true; null without a fix. */
export const edgeGpsSchema = z
  .looseObject({
    lat: z.number().min(-90).max(90),
    lng: z.number().min(-180).max(180),
    time: z.string(),
    age: z.number(),
    speed: z.number().exactOptional(),
    heading: z.number().exactOptional(),
    source: z.string(),
  })
  .nullable();
export type EdgeGpsFix = z.infer<typeof edgeGpsSchema>;

export const edgeSurveySchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  date: z.string(),
  loc: z.unknown(),
  user: z.unknown(),
  /** `total` records, of which `here` have their bytes on the box and `ashore` a receipt from the cloud. */
  images: z.looseObject({ total: count, here: count, ashore: count }),
});
export type EdgeSurveyStats = z.infer<typeof edgeSurveySchema>;

export const edgeLocationSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  surveys: count,
  images: count,
});
export type EdgeLocationStats = z.infer<typeof edgeLocationSchema>;

/** The four parts of the edge stats (1§3) by the name of their query. */
export const EDGE_STATS = {
  meta: edgeMetaSchema,
  gps: edgeGpsSchema,
  surveys: z.array(edgeSurveySchema),
  locations: z.array(edgeLocationSchema),
} as const;
