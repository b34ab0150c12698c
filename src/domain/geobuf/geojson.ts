/** Position in a picture: x and y, normalised 0 to 1 by width and height. */
export type Position = readonly [x: number, y: number];

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Shapes in an analysis record (2§3); polygon rings are closed. */
export type TraceGeometry =
  | { readonly type: 'LineString'; readonly coordinates: readonly Position[] }
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] };

export interface TraceFeature {
  readonly type: 'Feature';
  readonly geometry: TraceGeometry;
  /** Tool: since, colour, id, label, path, mod, erase. */
  readonly properties: { readonly [key: string]: Json | undefined };
  /** Members of other makers, retained unchanged. */
  readonly [further: string]: unknown;
}

export interface TraceCollection {
  readonly type: 'FeatureCollection';
  readonly features: readonly TraceFeature[];
  /** Saved time, image id, survey fields, width, height and zaps: the specification's extension of GeoJSON. */
  readonly properties?: { readonly [key: string]: Json | undefined };
  readonly [further: string]: unknown;
}
