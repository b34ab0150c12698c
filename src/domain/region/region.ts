import { z } from 'zod';

import { REGION_IDS } from './region-id';

/** Separate from the ids, which are needed before the schemas load. */
export const regionIdSchema = z.enum(REGION_IDS);

/** Layers of the report map (3§2 "Settings tab"); `surveyedReefs` is always offered. */
const MAP_LAYERS = ['surveyedReefs', 'zoning', 'keySourceReefs', 'rubbleProbability'] as const;
const PRIORITY_LAYERS = ['cotsPriority', 'censusPriority', 'deepReefs', 'hotRefugiaReefs'] as const;
const LAYER_KEYS = [...MAP_LAYERS, ...PRIORITY_LAYERS] as const;
export type LayerKey = (typeof LAYER_KEYS)[number];

/** Fractions of the picture's area, 0..1. */
const polygonFilterSchema = z.object({ minSize: z.number().min(0).max(1), maxSize: z.number().min(0).max(1) });

/** West, south, east, north in degrees; in order and on the earth, as a chart cannot draw others. */
const boundsSchema = z
  .tuple([
    z.number().min(-180).max(180),
    z.number().min(-90).max(90),
    z.number().min(-180).max(180),
    z.number().min(-90).max(90),
  ])
  .refine(([west, south, east, north]) => west < east && south < north, 'is not west, south, east, north');
export type Bounds = z.infer<typeof boundsSchema>;

/** Day of the year; `nextYear` places it in the following year. */
const dayOfYearSchema = z.object({
  month: z.int().min(1).max(12),
  day: z.int().min(1).max(31),
  nextYear: z.boolean().optional(),
});

const datasetRefSchema = z.looseObject({ id: z.string(), year: z.int(), displayName: z.string() });
export type DatasetRef = z.infer<typeof datasetRefSchema>;

/** Region configuration (1§3 "Region config", 2§3, 3§3 "Region info"). */
export const regionSchema = z.looseObject({
  regionId: regionIdSchema,
  regionName: z.string(),
  mapBounds: boundsSchema,
  mapStyle: z.string(),
  reportingMapStyle: z.string(),
  mapReefLayer: z.string(),
  mapValidationLayer: z.string(),
  /** Layer above the global coral layer. */
  mapAllenCoralBeforeId: z.string().optional(),
  /** Name of the region's reference data. */
  reefFeatureData: z.string(),
  /** Public step-by-step analysis (2§4); `expertAnalysisVersion` for experts. */
  analysisVersion: z.number(),
  expertAnalysisVersion: z.number(),
  isActive: z.boolean(),
  isSurveyOpen: z.boolean(),
  reportingYear: z.int(),
  analysisYear: z.int(),
  reportingDatasetId: z.string(),
  polygonFilter: polygonFilterSchema,
  polygonFilterExpert: polygonFilterSchema,
  /** Survey season: first and last day. */
  reportingTimeline: z.object({ start: dayOfYearSchema, end: dayOfYearSchema }),
  datasets: z.array(datasetRefSchema),
  layers: z.looseObject({
    features: z.string(),
    labels: z.string(),
    views: z.array(z.object({ id: z.string(), displayName: z.string() })),
    mapLayerToggles: z.record(z.string(), z.array(z.enum(LAYER_KEYS))),
  }),
  /** Folder of the machine-learning outlines (1§7). */
  mlAnalysisDir: z.string(),
});
export type Region = z.infer<typeof regionSchema>;
