import type { FigureVersions } from '../reef-result';

/**
 * First picture of a region, painted before the map and any database are open: where its features lie, and what the
 * census found. Positions are degrees, on a grid of {@link FirstPictureFile.step}.
 */
export interface FirstPicture {
  readonly regionId: string;
  readonly datasetId: string;
  /** ISO 8601; null before the first figure. */
  readonly asOf: string | null;
  readonly versions: FigureVersions;
  /** West, south, east, north of the region. */
  readonly bounds: readonly [number, number, number, number];
  /** Features, in order of their rows: all of the table, or those that the budget left. */
  readonly rows: Uint32Array;
  readonly longitudes: Float64Array;
  readonly latitudes: Float64Array;
  /** Half the larger side of each feature's bounds, degrees; 0 if it is smaller than the grid or was dropped. */
  readonly radii: Float64Array;
  /** Reefs with a result, in order of their rows. */
  readonly results: readonly FirstResult[];
  /** Outlines of large features; the others are painted as points. */
  readonly outlines: readonly FirstOutline[];
  /** Rings of land: longitude, latitude, longitude, … */
  readonly land: readonly Float64Array[];
}

/** Total coral cover of a reef, whole percent; null if it is not available. */
export interface FirstResult {
  readonly row: number;
  /** Null if the budget dropped it. */
  readonly id: string | null;
  readonly label: string | null;
  readonly cover: { readonly value: number; readonly low: number; readonly high: number } | null;
}

/** Ring of a feature: longitude, latitude, longitude, … without the first point at the end. */
export interface FirstOutline {
  readonly row: number;
  readonly ring: Float64Array;
}

/**
 * The file: JSON with long lists as text of `number-text.ts`. README.md describes each.
 */
export interface FirstPictureFile {
  readonly version: 1;
  readonly regionId: string;
  readonly datasetId: string;
  readonly asOf: string | null;
  readonly versions: FigureVersions;
  readonly bounds: readonly [number, number, number, number];
  /** Step of the grid, degrees, whose origin is west and south of the bounds. */
  readonly step: number;
  /** Null: the rows 0 to the number of points. */
  readonly rows: string | null;
  readonly points: string;
  readonly radii: string | null;
  readonly results: string;
  readonly ids: readonly string[] | null;
  readonly labels: readonly string[] | null;
  readonly outlines: string;
  readonly land: string;
}

/** Bytes of the file at most, uncompressed. */
export const FIRST_PICTURE_BYTES = 40_000;
