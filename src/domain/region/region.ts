import { z } from 'zod';
import type { RegionId } from './region-id';
import { DEFAULT_REGION, REGION_IDS, regionNamed } from './region-id';

/** Stands here and not beside the ids: those are needed before the schemas are loaded. */
export const regionIdSchema = z.enum(REGION_IDS);

/** What the report map can show (3§2 "Settings tab"); `surveyedReefs` is always offered. */
export const MAP_LAYERS = ['surveyedReefs', 'zoning', 'keySourceReefs', 'rubbleProbability'] as const;
export const PRIORITY_LAYERS = ['cotsPriority', 'censusPriority', 'deepReefs', 'hotRefugiaReefs'] as const;
export const LAYER_KEYS = [...MAP_LAYERS, ...PRIORITY_LAYERS] as const;
export type LayerKey = (typeof LAYER_KEYS)[number];

/** Fractions of the picture's area, 0..1. */
export const polygonFilterSchema = z.object({ minSize: z.number().min(0).max(1), maxSize: z.number().min(0).max(1) });

/** West, south, east, north in degrees. */
export const boundsSchema = z.tuple([z.number(), z.number(), z.number(), z.number()]);
export type Bounds = z.infer<typeof boundsSchema>;

/** A day of the year; `nextYear` for one that lies in the year after. */
const dayOfYearSchema = z.object({
  month: z.int().min(1).max(12),
  day: z.int().min(1).max(31),
  nextYear: z.boolean().optional(),
});

export const datasetRefSchema = z.looseObject({ id: z.string(), year: z.int(), displayName: z.string() });
export type DatasetRef = z.infer<typeof datasetRefSchema>;

/** The configuration of a region (1§3 "Region config", 2§3, 3§3 "Region info"). */
export const regionSchema = z.looseObject({
  regionId: regionIdSchema,
  regionName: z.string(),
  mapBounds: boundsSchema,
  mapStyle: z.string(),
  reportingMapStyle: z.string(),
  mapReefLayer: z.string(),
  mapValidationLayer: z.string(),
  /** The layer below which the global coral layer is drawn. */
  mapAllenCoralBeforeId: z.string().optional(),
  /** Name of the reference data that holds the region's features. */
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
  /** The season of surveys: first and last day. */
  reportingTimeline: z.object({ start: dayOfYearSchema, end: dayOfYearSchema }),
  datasets: z.array(datasetRefSchema),
  layers: z.looseObject({
    features: z.string(),
    labels: z.string(),
    views: z.array(z.object({ id: z.string(), displayName: z.string() })),
    /** The layers offered, by dataset id. */
    mapLayerToggles: z.record(z.string(), z.array(z.enum(LAYER_KEYS))),
  }),
  /** Folder of the machine-learning outlines (1§7). */
  mlAnalysisDir: z.string(),
});
export type Region = z.infer<typeof regionSchema>;

/**
 * The region that a URL names (1§2): the route parameter, else the query parameter `region`, else gbr. A name that is
 * no region counts as none.
 */
export function regionFromUrl(param: unknown, query: unknown): RegionId {
  return regionNamed(param, query) ?? DEFAULT_REGION;
}

/** First and last day (`YYYY-MM-DD`) of the reporting season that begins in `year`. */
export function reportingSeason(
  region: Pick<Region, 'reportingTimeline'>,
  year: number,
): { readonly start: string; readonly end: string } {
  const { start, end } = region.reportingTimeline;
  return { start: isoDay(year, start), end: isoDay(year, end) };
}

/** The layers that the report offers for a dataset; surveyed reefs are always among them (3§2). */
export function layersFor(region: Pick<Region, 'layers'>, datasetId: string): readonly LayerKey[] {
  const toggles = Object.hasOwn(region.layers.mapLayerToggles, datasetId)
    ? (region.layers.mapLayerToggles[datasetId] ?? [])
    : [];
  return LAYER_KEYS.filter((key) => key === 'surveyedReefs' || toggles.includes(key));
}

/** The census year of a dataset: one that spans more than one year counts as "All" (1§4). Dates as `YYYY-MM-DD`. */
export function censusYear({ startDate, endDate }: { readonly startDate: string; readonly endDate: string }): string {
  const [first, last] = [startDate.slice(0, 4), endDate.slice(0, 4)];
  return first === last ? first : 'All';
}

function isoDay(year: number, { month, day, nextYear }: z.infer<typeof dayOfYearSchema>): string {
  return `${year + (nextYear === true ? 1 : 0)}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
