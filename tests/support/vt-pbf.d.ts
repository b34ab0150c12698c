declare module 'vt-pbf' {
  import type { Tile } from 'geojson-vt';

  /** Encodes cut layers as a Mapbox vector tile. */
  const vtpbf: {
    fromGeojsonVt(
      layers: Readonly<Record<string, Tile>>,
      options: { readonly version: number; readonly extent: number },
    ): Uint8Array;
  };
  export default vtpbf;
}
