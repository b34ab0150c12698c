/** Builds the chart of the land (`land.pmtiles`) into a folder, `dist/tiles` by default, unless it stands; gives its path. */
export declare function buildTiles(options?: { readonly folder?: string; readonly force?: boolean }): string;
