import { z } from 'zod';

const count = z.int().min(0);

/** Contents of the box: "meta totals" of the edge stats (1§3; protocol, `query` `meta`). Sizes in bytes. */
export const edgeMetaSchema = z.looseObject({
  totals: z.looseObject({ surveys: count, images: count, bytes: count, analyses: count, people: count }),
  /** Operations without a cloud receipt. */
  owed: count,
  /** Bytes of the box's photographs without a cloud receipt. */
  owedBytes: count.exactOptional(),
  disk: z.looseObject({
    free: z.number(),
    size: z.number(),
    /** At the current rate; null if unknown. */ daysUntilFull: z.number().min(0).nullable().exactOptional(),
  }),
  time: z.string(),
  version: z.string(),
  /** Display name of the box. */
  name: z.string().exactOptional(),
  gps: z.enum(['none', 'away', 'no-fix', 'fix']).exactOptional(),
  /** Names of the reference data on the box. */
  references: z.array(z.string()).exactOptional(),
});

/** Position of the vessel: degrees, `age` in ms, `speed` in knots, `heading` in degrees true; null without a fix. */
const edgeGpsSchema = z
  .looseObject({
    lat: z.number().min(-90).max(90),
    lng: z.number().min(-180).max(180),
    time: z.string(),
    age: z.number(),
    speed: z.number().exactOptional(),
    heading: z.number().exactOptional(),
    /** Number of satellites used. */
    satellites: count.exactOptional(),
    source: z.string(),
  })
  .nullable();

const edgeSurveySchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  date: z.string(),
  loc: z.unknown(),
  user: z.unknown(),
  /**
   * `total` records; `here` have their bytes on the box, `ashore` have a cloud receipt. `freed` of `here` were freed on
   * the cloud's proof: the box answers for them and has a small picture. Absent from older boxes.
   */
  images: z.looseObject({ total: count, here: count, ashore: count, freed: count.exactOptional() }),
});

const edgeLocationSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  surveys: count,
  images: count,
});

/** Track of the vessel: degrees, ISO 8601 UTC, in time order. */
const edgeTrackSchema = z.looseObject({
  fixes: z.array(
    z.looseObject({ time: z.string(), lat: z.number().min(-90).max(90), lng: z.number().min(-180).max(180) }),
  ),
});

/** Tablet known to the box; `owed` as last reported, `rate` in bytes per second. */
const edgeSenderSchema = z.looseObject({
  deviceId: z.string(),
  name: z.string(),
  person: z.string().nullable(),
  connected: z.boolean(),
  seenAt: z.string(),
  owed: z.looseObject({ records: count, photographs: count, bytes: count }).nullable(),
  survey: z.looseObject({ id: z.string(), name: z.string() }).nullable(),
  rate: z.number().nullable(),
});

/** Four parts of the edge stats (1§3) by query name, and two for the vessel. */
export const EDGE_STATS = {
  meta: edgeMetaSchema,
  gps: edgeGpsSchema,
  surveys: z.array(edgeSurveySchema),
  locations: z.array(edgeLocationSchema),
  track: edgeTrackSchema,
  senders: z.array(edgeSenderSchema),
} as const;
