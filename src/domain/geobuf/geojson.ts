/** A place in a picture: x and y, normalised 0 to 1 by its width and height. */
export type Position = readonly [x: number, y: number];

/** Anything that JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** The shapes that a record of an analysis holds (2§3); rings of a polygon end where they began. */
export type TraceGeometry =
  | { readonly type: 'LineString'; readonly coordinates: readonly Position[] }
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] };

export interface TraceFeature {
  readonly type: 'Feature';
  readonly geometry: TraceGeometry;
  /** The tool: since, colour, id, label, path, mod, erase. */
  readonly properties: { readonly [key: string]: Json | undefined };
  /** Members of other makers, kept as they are. */
  readonly [further: string]: unknown;
}

export interface TraceCollection {
  readonly type: 'FeatureCollection';
  readonly features: readonly TraceFeature[];
  /** Saved time, image id, survey fields, width, height and zaps; GeoJSON has no such member, its extension is the specification's. */
  readonly properties?: { readonly [key: string]: Json | undefined };
  readonly [further: string]: unknown;
}
