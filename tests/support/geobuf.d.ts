/** The package has no types of its own. */
declare module 'geobuf' {
  import type Pbf from 'pbf';
  export function encode(geojson: unknown, pbf: Pbf): Uint8Array;
  export function decode(pbf: Pbf): unknown;
}
