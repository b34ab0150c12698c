import { z } from 'zod';

const count = z.int().min(0);

/** What the box holds: "meta totals" of the edge stats (1§3; protocol, `query` `meta`). Sizes in bytes. */
export const edgeMetaSchema = z.looseObject({
  totals: z.looseObject({ surveys: count, images: count, bytes: count, analyses: count, people: count }),
  /** Operations without a receipt from the cloud. */
  owed: count,
  /** Bytes of the photographs here without a receipt from the cloud. */
  owedBytes: count.exactOptional(),
  disk: z.looseObject({
    free: z.number(),
    size: z.number(),
    /** At the present use; null while that is unknown. */ daysUntilFull: z.number().min(0).nullable().exactOptional(),
  }),
  time: z.string(),
  version: z.string(),
  /** The box's name as people say it. */
  name: z.string().exactOptional(),
  gps: z.enum(['none', 'away', 'no-fix', 'fix']).exactOptional(),
  /** Names of the reference data that the box keeps. */
  references: z.array(z.string()).exactOptional(),
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
    /** Of which the fix was made. */
    satellites: count.exactOptional(),
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
  /**
   * `total` records, of which `here` have their bytes on the box and `ashore` a receipt from the cloud. `freed` of those here were
   * freed on the cloud's word, which stands: the box answers for them and has a small picture. An older box does not say.
   */
  images: z.looseObject({ total: count, here: count, ashore: count, freed: count.exactOptional() }),
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

/** Where the vessel was: degrees, ISO 8601 UTC, in the order of time. */
export const edgeTrackSchema = z.looseObject({
  fixes: z.array(
    z.looseObject({ time: z.string(), lat: z.number().min(-90).max(90), lng: z.number().min(-180).max(180) }),
  ),
});
export type EdgeTrackStats = z.infer<typeof edgeTrackSchema>;

/** A tablet as the box knows it; `owed` as it last said, `rate` in bytes a second. */
export const edgeSenderSchema = z.looseObject({
  deviceId: z.string(),
  name: z.string(),
  person: z.string().nullable(),
  connected: z.boolean(),
  seenAt: z.string(),
  owed: z.looseObject({ records: count, photographs: count, bytes: count }).nullable(),
  survey: z.looseObject({ id: z.string(), name: z.string() }).nullable(),
  rate: z.number().nullable(),
});
export type EdgeSenderStats = z.infer<typeof edgeSenderSchema>;

/** The four parts of the edge stats (1§3) by the name of their query, and the vessel's own two. */
export const EDGE_STATS = {
  meta: edgeMetaSchema,
  gps: edgeGpsSchema,
  surveys: z.array(edgeSurveySchema),
  locations: z.array(edgeLocationSchema),
  track: edgeTrackSchema,
  senders: z.array(edgeSenderSchema),
} as const;
