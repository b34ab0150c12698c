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

/** Latitude to which a Mercator chart reaches, degrees; it has no pole. */
const CHART_LATITUDE = 85;
/** Smallest side of a region, degrees: 1.1 km of latitude. */
const MIN_REGION_DEGREES = 0.01;

const longitudeSchema = z
  .number('A longitude must be a number of degrees')
  .min(-180, 'A longitude must be at least -180')
  .max(180, 'A longitude must be at most 180');
const latitudeSchema = z
  .number('A latitude must be a number of degrees')
  .min(-CHART_LATITUDE, `A latitude must be at least -${CHART_LATITUDE}, where charts end`)
  .max(CHART_LATITUDE, `A latitude must be at most ${CHART_LATITUDE}, where charts end`);

/** West, south, east, north in degrees; in order and not across the 180th meridian, as a chart cannot draw others. */
const boundsSchema = z
  .tuple(
    [longitudeSchema, latitudeSchema, longitudeSchema, latitudeSchema],
    'Bounds must be four numbers: west, south, east, north',
  )
  .superRefine(([west, south, east, north], context) => {
    const sides = [
      [west, east, 'West', 'east', '; bounds cannot cross the 180th meridian'],
      [south, north, 'South', 'north', ''],
    ] as const;
    for (const [low, high, lowName, highName, addition] of sides) {
      const message =
        low > high
          ? `${lowName} must be less than ${highName}${addition}`
          : high - low < MIN_REGION_DEGREES
            ? `${lowName} and ${highName} must be at least ${MIN_REGION_DEGREES}° apart`
            : null;
      if (message !== null) context.addIssue({ code: 'custom', message });
    }
  });
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
