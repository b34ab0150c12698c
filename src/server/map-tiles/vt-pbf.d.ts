/** The package has no types of its own. */
declare module 'vt-pbf' {
  /** @param layers tiles of geojson-vt by name of layer */
  export function fromGeojsonVt(
    layers: Readonly<Record<string, { readonly features: readonly unknown[] }>>,
    options: { readonly version: 1 | 2; readonly extent: number },
  ): Uint8Array;
}
