import type { RouteDescription } from './route-description';

/** Routes of the public map. */
export const MAP_DESCRIPTIONS: Readonly<Record<string, RouteDescription>> = {
  'GET /tiles/:archive': {
    summary: 'An archive of map tiles (PMTiles); takes ranges.',
    responseType: 'application/octet-stream',
  },
  'GET /tiles/:source/:z/:x/:y': {
    summary:
      'A map tile as it is stored; a raster as AVIF or WebP by Accept. Status 204: the archive has no such tile.',
    responseType: 'application/vnd.mapbox-vector-tile',
  },
  'GET /api/map-files': { summary: 'The public files of all maps, as boxes get them.' },
  'GET /api/map-files/:sha256': {
    summary: 'The bytes of a map file, compressed where accepted; takes a range.',
    responseType: 'application/octet-stream',
  },
};
