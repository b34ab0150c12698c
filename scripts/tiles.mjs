// Builds the chart that every box carries, dist/tiles/land.pmtiles: land, coasts and the names of countries of the whole
// world, from the outlines of Natural Earth (public domain) in the package world-atlas.
//
// Three layers: `land` (polygons), `coast` (lines; without the seams that polygons have at the edges of tiles), `names`
// (points; `name`, and `rank` from 0 for the largest countries to 3). Zooms 0 to 6, and a map draws deeper ones from zoom 6: the outlines
// lie on a grid of 400 × 190 m, a tile of zoom 6 has one of 153 m, so that further zooms would only repeat it, and a chart
// that were finer in some regions would show no land at all in the others.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import GeoJSONVT from 'geojson-vt';
import { feature, mesh } from 'topojson-client';
import vtpbf from 'vt-pbf';
import { writePmtiles } from './tiles/pmtiles-writer.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ATLAS = path.join(ROOT, 'node_modules', 'world-atlas');

/** Which outlines at which zooms: the coarse ones are drawn by people who knew what to leave out. */
const ZOOMS = [
  { from: 0, to: 1, scale: '110m' },
  { from: 2, to: 3, scale: '50m' },
  { from: 4, to: 6, scale: '10m' },
];
const MAX_ZOOM = 6;
const EXTENT = 4096;
/** Of 4096: a stroke of up to 8 px at 512 px a tile is whole at the edge. */
const BUFFER = 64;
/** Simplification on the way (of 4096 units a tile, so half a pixel); none at the last zoom of each scale. */
const TOLERANCE = 4;
/** Half the edge of the world in web Mercator, degrees. */
const MERCATOR_LAT = 85.0511;

/** Builds the archive unless it stands as these sources make it. Gives its path. */
export function buildTiles({ folder = path.join(ROOT, 'dist', 'tiles'), force = false } = {}) {
  const target = path.join(folder, 'land.pmtiles');
  const stamp = path.join(folder, '.built');
  const sources = hashSources();
  if (!force && existsSync(target) && existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return target;
  const archive = landArchive();
  mkdirSync(folder, { recursive: true });
  // Whole or not at all: a box that runs reads the old one until it starts again.
  writeFileSync(`${target}.new`, archive);
  renameSync(`${target}.new`, target);
  writeFileSync(stamp, sources);
  return target;
}

function landArchive() {
  const tiles = ZOOMS.flatMap(({ from, to, scale }) => tilesOf(layersOf(scale), from, to));
  return writePmtiles(tiles, {
    bounds: [-180, -MERCATOR_LAT, 180, MERCATOR_LAT],
    minZoom: 0,
    maxZoom: MAX_ZOOM,
    center: [147, -18, 4],
    metadata: {
      name: 'Land',
      description: 'Land, coasts and names of countries of the world',
      attribution: 'Natural Earth',
      type: 'baselayer',
      format: 'pbf',
      vector_layers: [
        { id: 'land', fields: {}, minzoom: 0, maxzoom: MAX_ZOOM },
        { id: 'coast', fields: {}, minzoom: 0, maxzoom: MAX_ZOOM },
        { id: 'names', fields: { name: 'String', rank: 'Number' }, minzoom: 0, maxzoom: MAX_ZOOM },
      ],
    },
  });
}

/** The three layers of one scale as GeoJSON. */
function layersOf(scale) {
  const topology = readJson(`land-${scale}.json`);
  const countries = readJson(`countries-${scale}.json`);
  // One feature each, so that a tile of open sea in a country's box is empty and not made.
  const land = { type: 'FeatureCollection', features: polygonsOf(feature(topology, topology.objects.land)) };
  const coast = { type: 'FeatureCollection', features: linesOf(mesh(topology, topology.objects.land)) };
  const names = {
    type: 'FeatureCollection',
    features: feature(countries, countries.objects.countries).features.flatMap(nameOf),
  };
  return { land, coast, names };
}

function polygonsOf({ features }) {
  return features
    .flatMap(({ geometry }) => (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates))
    .map((rings) => ({
      type: 'Feature',
      properties: {},
      geometry: { type: 'Polygon', coordinates: rings.map(unrolledRing) },
    }));
}

function linesOf({ coordinates }) {
  return coordinates.map((line) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'LineString', coordinates: unrolled(line) },
  }));
}

/**
 * The outlines of the package are those of a globe: a line steps from 180° to -180°. Here it goes on to 181° instead, and the cutting
 * into tiles brings what lies beyond the edge of the world back in on its other side.
 */
function unrolled(line) {
  let turns = 0;
  return line.map(([lng, lat], n) => {
    const step = n === 0 ? 0 : lng - line[n - 1][0];
    if (step > 180) turns -= 360;
    if (step < -180) turns += 360;
    return [lng + turns, lat];
  });
}

/** A ring that goes around a pole does not close when it is unrolled: it is led over the pole. */
function unrolledRing(ring) {
  const open = unrolled(ring);
  const [first, last] = [open[0], open.at(-1)];
  if (Math.abs(last[0] - first[0]) < 180) return open;
  const pole = first[1] < 0 ? -90 : 90;
  return [...open, [last[0], pole], [first[0], pole], first];
}

/** A country's name in the middle of its largest part; `rank` by its size. */
function nameOf({ geometry, properties }) {
  if (geometry === null || !properties?.name) return [];
  const rings = (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates).map(([outer]) =>
    unrolledRing(outer),
  );
  const parts = rings.map((ring) => ({ ring, ...areaOf(ring) })).sort((a, b) => b.area - a.area);
  const { centre, area } = parts[0];
  const rank = [150, 30, 5].findIndex((squareDegrees) => area >= squareDegrees);
  return [
    {
      type: 'Feature',
      properties: { name: properties.name, rank: rank === -1 ? 3 : rank },
      geometry: { type: 'Point', coordinates: [((centre[0] + 540) % 360) - 180, centre[1]] },
    },
  ];
}

/** Area in square degrees, and the centre of gravity, of a ring. */
function areaOf(ring) {
  let [twice, lng, lat] = [0, 0, 0];
  for (let n = 1; n < ring.length; n++) {
    const [[x0, y0], [x1, y1]] = [ring[n - 1], ring[n]];
    const cross = x0 * y1 - x1 * y0;
    twice += cross;
    lng += (x0 + x1) * cross;
    lat += (y0 + y1) * cross;
  }
  return { area: Math.abs(twice / 2), centre: [lng / (3 * twice), lat / (3 * twice)] };
}

function tilesOf(layers, from, to) {
  const options = {
    maxZoom: to,
    indexMaxZoom: to,
    indexMaxPoints: 0,
    tolerance: TOLERANCE,
    extent: EXTENT,
    buffer: BUFFER,
  };
  const cut = Object.entries(layers).map(([name, data]) => [name, new GeoJSONVT(data, options)]);
  const tiles = [];
  for (let z = from; z <= to; z++) {
    for (let x = 0; x < 2 ** z; x++) {
      for (let y = 0; y < 2 ** z; y++) {
        const found = cut
          .map(([name, index]) => [name, index.getTile(z, x, y)])
          .filter(([, tile]) => tile !== null && tile.features.length > 0);
        if (found.length > 0)
          tiles.push({ z, x, y, data: vtpbf.fromGeojsonVt(Object.fromEntries(found), { version: 2, extent: EXTENT }) });
      }
    }
  }
  return tiles;
}

function readJson(name) {
  return JSON.parse(readFileSync(path.join(ATLAS, name), 'utf8'));
}

function hashSources() {
  const hash = createHash('sha256');
  for (const file of [
    'scripts/tiles.mjs',
    'scripts/tiles/pmtiles-writer.mjs',
    'node_modules/world-atlas/package.json',
    'node_modules/geojson-vt/package.json',
    'node_modules/vt-pbf/package.json',
  ])
    hash.update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const archive = buildTiles({ force: process.argv.includes('--force') });
  console.log(
    `The chart stands: ${path.relative(ROOT, archive)}, ${(readFileSync(archive).length / 1e6).toFixed(1)} MB.`,
  );
}
