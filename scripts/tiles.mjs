// Builds dist/tiles/land.pmtiles, the chart of every box: land, coasts and country names of the world, from Natural
// Earth (public domain, package world-atlas).
//
// Layers: `land` (polygons), `coast` (lines without seams at tile edges), `names` (points; `name`, and `rank` from 0
// for the largest countries to 3). Zooms 0 to 6, overzoomed beyond: the outlines have a grid of 400 × 190 m, a tile of
// zoom 6 one of 153 m, and a chart with more detail in some regions would show no land in the others.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import GeoJSONVT from 'geojson-vt';
import { feature, mesh } from 'topojson-client';
import vtpbf from 'vt-pbf';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const WRITER = 'src/server/tiles/pmtiles-writer.ts';
const { writePmtiles } = await importTypeScript(WRITER);
const ATLAS = path.join(ROOT, 'node_modules', 'world-atlas');

/** Outlines per zoom: the coarse ones were generalised by cartographers. */
const ZOOMS = [
  { from: 0, to: 1, scale: '110m' },
  { from: 2, to: 3, scale: '50m' },
  { from: 4, to: 6, scale: '10m' },
];
const MAX_ZOOM = 6;
const EXTENT = 4096;
/** Units of 4096: a stroke of 8 px at 512 px a tile is complete at the edge. */
const BUFFER = 64;
/** Half a pixel (of 4096 units a tile); none at the last zoom of each scale. */
const TOLERANCE = 4;
/** Latitude limit of web Mercator, degrees. */
const MERCATOR_LAT = 85.0511;

/** Builds the archive if its sources changed. Returns its path. */
export function buildTiles({ folder = path.join(ROOT, 'dist', 'tiles'), force = false } = {}) {
  const target = path.join(folder, 'land.pmtiles');
  const stamp = path.join(folder, '.built');
  const sources = hashSources();
  if (!force && existsSync(target) && existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return target;
  const archive = landArchive();
  mkdirSync(folder, { recursive: true });
  // Atomic: a running box reads the old one until it restarts.
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

function layersOf(scale) {
  const topology = readJson(`land-${scale}.json`);
  const countries = readJson(`countries-${scale}.json`);
  // One feature per polygon: no empty tiles within a country's bounds.
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
      geometry: { type: 'Polygon', coordinates: rings.map(unwrapRing) },
    }));
}

function linesOf({ coordinates }) {
  return coordinates.map((line) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'LineString', coordinates: unwrapLine(line) },
  }));
}

/** Continues a line at 181° where the source jumps to -180°; tiling wraps it back. */
function unwrapLine(line) {
  let turns = 0;
  return line.map(([lng, lat], n) => {
    const step = n === 0 ? 0 : lng - line[n - 1][0];
    if (step > 180) turns -= 360;
    if (step < -180) turns += 360;
    return [lng + turns, lat];
  });
}

/** Leads a ring around a pole over the pole, to close it. */
function unwrapRing(ring) {
  const open = unwrapLine(ring);
  const [first, last] = [open[0], open.at(-1)];
  if (Math.abs(last[0] - first[0]) < 180) return open;
  const pole = first[1] < 0 ? -90 : 90;
  return [...open, [last[0], pole], [first[0], pole], first];
}

/** Label at the centre of the largest part; `rank` by area. */
function nameOf({ geometry, properties }) {
  if (geometry === null || !properties?.name) return [];
  const rings = (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates).map(([outer]) =>
    unwrapRing(outer),
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

/** Area in square degrees and centroid of a ring. */
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

/** Imports a module of the project that needs no package. */
async function importTypeScript(file) {
  const { outputFiles } = buildSync({
    entryPoints: [path.join(ROOT, file)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

function readJson(name) {
  return JSON.parse(readFileSync(path.join(ATLAS, name), 'utf8'));
}

function hashSources() {
  const hash = createHash('sha256');
  for (const file of [
    'scripts/tiles.mjs',
    WRITER,
    'src/server/tiles/tile-id.ts',
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
    `The chart is ready: ${path.relative(ROOT, archive)}, ${(readFileSync(archive).length / 1e6).toFixed(1)} MB.`,
  );
}
