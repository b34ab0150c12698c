import type { FigureVersions, ReefResult } from './reef-result';

/** Dataset in the contents list of a region. Counts are of public surveys alone. */
export interface DatasetMeta {
  readonly id: string;
  readonly shortName: string;
  /** A year or "All" (1§4). */
  readonly censusYear: string;
  readonly surveys: number;
  readonly reefs: number;
  readonly images: number;
  readonly analysts: number;
  /** Reefs with a published cover. */
  readonly resultReefs: number;
  readonly versions: FigureVersions;
  /** Null before the first reef with a cover; absent in a list of an earlier version. */
  readonly result?: DatasetResult | null;
}

/** Result of a dataset (3§3 "Results"): mean of its reefs with a published cover, each alike. */
export interface DatasetResult extends Pick<ReefResult, 'dominantCoral' | 'photographs' | 'analysts' | 'surveys'> {
  readonly covers: NonNullable<ReefResult['covers']>;
}

/** Archive or raster of a region's map. */
export interface MapLayerMeta {
  /** Name below `/tiles/`, such as `reefs-gbr`. */
  readonly name: string;
  readonly kind: 'base' | 'reefs' | 'zoning' | 'priorities' | 'rubble' | 'validation' | 'results' | 'raster';
  readonly attribution: string;
  /** West, south, east, north, degrees. */
  readonly bounds: readonly [number, number, number, number];
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly bytes: number;
  /** SHA-256 of the archive. */
  readonly sha256: string;
}

/** Contents list of a region's public data, at `/cdn/map/<region>/meta.json`. */
export interface RegionMeta {
  readonly version: 1;
  readonly regionId: string;
  /** Time of the last change of a figure, ISO 8601; null before the first. */
  readonly asOf: string | null;
  readonly datasets: readonly DatasetMeta[];
  readonly layers: readonly MapLayerMeta[];
  /** Layers without data, by key of `LayerKey`; the screen lists them. */
  readonly withoutData: readonly string[];
  readonly attributions: readonly string[];
}
