/** A tile of the web Mercator grid; `data` is its content, uncompressed. */
export interface TileToWrite {
  readonly z: number;
  readonly x: number;
  readonly y: number;
  readonly data: Uint8Array;
}

export interface AboutTiles {
  /** West, south, east, north in degrees. */
  readonly bounds: readonly [number, number, number, number];
  readonly minZoom: number;
  readonly maxZoom: number;
  /** Longitude, latitude, zoom. */
  readonly center: readonly [number, number, number];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Makes an archive of vector tiles in the form of PMTiles, version 3.
 *
 * @param form for tests: the room for the root directory, in bytes
 * @throws RangeError for the same place twice, a place outside its zoom, no tile at all or a tile without content
 */
export declare function writePmtiles(
  tiles: readonly TileToWrite[],
  about: AboutTiles,
  form?: { readonly rootBytes?: number },
): Buffer;
