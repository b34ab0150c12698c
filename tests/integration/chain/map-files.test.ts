import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { VectorTile } from '@mapbox/vector-tile';
import Pbf from 'pbf';
import { FetchSource, PMTiles } from 'pmtiles';
import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import { composeBridge } from '../../../cloud-sync/bridge/compose-bridge';
import type { BridgeLimits } from '../../../cloud-sync/bridge/limits';
import { readBridgeSettings } from '../../../cloud-sync/bridge/settings';
import { publishFile } from '../../../cloud-sync/api/region-data/public-files';
import type { EdgeMeta } from '../../../src/protocol/edge-socket';
import type { MapFilesReply } from '../../../src/protocol/map-files';
import { startProxy } from '../../support/doubles/proxy';
import { editOf } from '../../support/servers/document-edits';
import { tempFolder } from '../../support/servers/client';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import type { TestEdge } from '../../support/servers/edge';
import { makeOp, pairedClient, surveyOp } from '../../support/servers/edge-client';
import { signInStaff } from '../../support/servers/people';
import { closers } from '../../support/tablet/closers';
import { edge } from '../../support/tablet/real-scene';
import { until } from '../../support/tablet/tablet';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const REEFS = 60;

/** Fills the tables as an import does: reefs of many corners, zones, sites. */
async function importMap({ cloud }: TestCloud): Promise<void> {
  const { pool } = cloud.context.database;
  const ring = (n: number): number[][] => {
    const [x, y] = [145 + (n % 10) * 0.3, -18 - Math.floor(n / 10) * 0.2];
    const open = Array.from({ length: 600 }, (_, i) => [
      x + 0.1 * Math.cos((i / 600) * 2 * Math.PI) * (1 + 0.1 * Math.sin(i * n)),
      y + 0.05 * Math.sin((i / 600) * 2 * Math.PI),
    ]);
    return [...open, open[0]!];
  };
  for (let n = 0; n < REEFS; n++) {
    const [first] = ring(n);
    await pool.query(
      `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, geometry, original_geometry, imported)
       VALUES ('gbr', $1, $2, '', '', 'Reef', $3, $4, '{145,-19,146,-18}', $5, $5, '{}')`,
      [`gbr-${n}`, n, first![0]! - 0.1, first![1], JSON.stringify({ type: 'Polygon', coordinates: [ring(n)] })],
    );
  }
  for (const [n, zone] of [0, 6].entries())
    await pool.query(
      `INSERT INTO map_sites (region_id, layer, id, properties, longitude, latitude, geometry) VALUES ('gbr', 'zoning', $1, $2, 145, -18, $3)`,
      [`zone-${n}`, { zone, name: '' }, JSON.stringify({ type: 'Polygon', coordinates: [ring(n)] })],
    );
  for (const [layer, id, featureId] of [
    ['cotsPriority', 'a', 'gbr-3'],
    ['deepReefs', 'b', 'gbr-3'],
    ['hotRefugiaReefs', 'c', null],
  ])
    await pool.query(
      `INSERT INTO map_sites (region_id, layer, id, properties, longitude, latitude) VALUES ('gbr', $1, $2, $3, 145.4, -18.3)`,
      [layer, id, featureId === null ? {} : { featureId }],
    );
  await pool.query(
    `INSERT INTO map_layers (region_id, layer, attribution, bounds, entries, imported_at)
     SELECT 'gbr', layer, 'Reef Authority', '{145,-19.5,148,-17}', 1, now() FROM unnest(ARRAY['surveyedReefs', 'zoning', 'cotsPriority', 'deepReefs']) layer`,
  );
  const rows = Array.from({ length: 3000 }, (_, n) => `gbr-${n * 7919}`);
  await publishFile(pool, 'map/gbr/first.json', 'application/json; charset=utf-8', JSON.stringify(rows));
}

/** Waits until the job has built what the import asks for. */
async function built(shore: TestCloud, names: readonly string[]): Promise<void> {
  const { archiveJobs, mapArchives } = shore.cloud.context;
  await until(async () => {
    await archiveJobs.requestChanged();
    const there = (await mapArchives.mapLayers('gbr')).map(({ name }) => name);
    return names.every((name) => there.includes(name)) ? true : undefined;
  }, 'archives ashore');
}

async function scene(limits: Partial<BridgeLimits> = {}) {
  const shore = await startCloud();
  const folder = tempFolder('maps');
  const box = await edge();
  const proxy = await startProxy(Number(new URL(shore.url).port));
  const { body } = await shore.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Star' }, STAFF_TOKEN);
  const settings = readBridgeSettings(['--edge', box.url, '--cloud', `http://127.0.0.1:${proxy.port}`], {
    REEF_HOME: folder.path,
    BRIDGE_TOKEN: body.token,
    EDGE_ADMIN_TOKEN: box.adminToken,
  });
  const { bridge, close } = composeBridge(settings, undefined, {
    log: () => undefined,
    limits: { cloudPollMs: 0, mapsMs: 0, outlinesMs: 0, retryMs: 0, retryMaxMs: 0, pieceBytesMin: 20_000, ...limits },
  });
  closers.push(async () => {
    close();
    await proxy.close();
    await shore.close();
    folder.remove();
  });
  return { shore, box, proxy, step: () => bridge.step(new AbortController().signal) };
}

async function mapsAboard(box: TestEdge): Promise<EdgeMeta['maps']> {
  const answer = await fetch(`${box.url}/edge/meta`, { headers: { authorization: `Bearer ${box.adminToken}` } });
  return ((await answer.json()) as EdgeMeta).maps;
}

const jpeg = (): Promise<Buffer> =>
  sharp({ create: { width: 90, height: 60, channels: 3, background: '#147ba0' } })
    .jpeg()
    .toBuffer();

const bytesOf = async (url: string, headers: Record<string, string> = {}): Promise<Buffer> =>
  Buffer.from(await (await fetch(url, { headers })).arrayBuffer());

const ARCHIVES = ['reefs-gbr', 'validation-gbr', 'zoning-gbr', 'priorities-gbr'];

test('3§7: archives and tables come aboard over a link that is cut, byte for byte, and only once', async () => {
  const { shore, box, proxy, step } = await scene();
  await importMap(shore);
  await built(shore, ARCHIVES);
  const listed = async () => ((await (await fetch(`${shore.url}/api/map-files`)).json()) as MapFilesReply).files;
  const kinds = (await listed()).map(({ address }) => address.split('/')[1]);
  expect(kinds.lastIndexOf('cdn'), 'tables first').toBeLessThan(kinds.indexOf('tiles'));
  const tagAboard = async (address: string) =>
    (await fetch(box.url + address, { headers: { 'accept-encoding': 'identity' } })).headers.get('etag');
  let cuts = 0;
  await until(async () => {
    if (proxy.fired || cuts === 0) {
      cuts++;
      // Later each time: pieces that arrived before the cut are not requested again.
      proxy.arm({ kind: cuts % 2 === 0 ? 'cut' : 'reset', towards: 'down', after: 15_000 + cuts * 1_000 });
    }
    await step();
    if ((await mapsAboard(box))?.status !== 'complete') return undefined;
    // Tables may have been published again meanwhile.
    const tags = await Promise.all((await listed()).map(({ address }) => tagAboard(address)));
    return (await listed()).every(({ sha256 }, n) => tags[n] === `"${sha256}"`) ? true : undefined;
  }, 'the map aboard');
  const files = await listed();
  expect(proxy.counts.cut + proxy.counts.reset, 'the link was cut').toBeGreaterThan(3);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(total, 'more than a cut lets through').toBeGreaterThan(100_000);
  for (const { address, sha256 } of files) {
    const aboard = await bytesOf(box.url + address);
    if (address.startsWith('/tiles')) expect(aboard.equals(await bytesOf(shore.url + address)), address).toBe(true);
    else expect(createHash('sha256').update(aboard).digest('hex'), address).toBe(sha256);
  }
  expect(JSON.parse((await bytesOf(`${box.url}/cdn/map/gbr/first.json`)).toString())).toHaveLength(3000);
  // Browsers log failures, and a file not published yet is none.
  for (const name of ['first.json', 'rubble.csv'])
    for (const server of [box.url, shore.url])
      expect((await fetch(`${server}/cdn/map/moreton/${name}`)).status, name).toBe(204);
  // One more round fetches the list alone, unchanged.
  const before = proxy.bytes.down;
  proxy.arm({ kind: 'cut', towards: 'up', after: 1e9 });
  await step();
  expect(proxy.bytes.down - before).toBeLessThan(20_000);
  expect((await fetch(`${box.url}/cdn/map/gbr/other.json`)).status).toBe(404);
});

test('3§7, 3§9: zones have the place of their colour, and a reef of two priorities both bits', async () => {
  const shore = await startCloud();
  closers.push(() => shore.close());
  await importMap(shore);
  await built(shore, ARCHIVES);
  const featuresOf = async (name: string, layer: string) => {
    const tile = await new PMTiles(new FetchSource(`${shore.url}/tiles/${name}.pmtiles`)).getZxy(5, 28, 17);
    const found = new VectorTile(new Pbf(new Uint8Array(tile!.data)) as never).layers[layer];
    return Array.from({ length: found?.length ?? 0 }, (_, n) => found!.feature(n)).map(({ id, properties }) => ({
      id,
      ...properties,
    }));
  };
  expect(await featuresOf('zoning-gbr', 'zoning')).toEqual([
    { id: 0, zone: 0 },
    { id: 1, zone: 6 },
  ]);
  expect([
    ...(await featuresOf('priorities-gbr', 'priorities')),
    ...(await featuresOf('priorities-gbr', 'priority-points')),
  ]).toEqual([
    { id: 3, p: 5 },
    { id: 1_000_000, p: 8 },
  ]);
  const reefs = [...(await featuresOf('reefs-gbr', 'reefs')), ...(await featuresOf('reefs-gbr', 'reef-points'))];
  expect(
    reefs.every((reef) => Object.keys(reef).join() === 'id'),
    'geometry and ids alone',
  ).toBe(true);
});

test('3§7: an import rebuilds what it changed alone, and a release has an archive with its figures', async () => {
  const shore = await startCloud();
  closers.push(() => shore.close());
  const { database, mapArchives, archiveJobs } = shore.cloud.context;
  await importMap(shore);
  await built(shore, ARCHIVES);
  const before = await mapArchives.mapLayers('gbr');
  const cover = { value: 20.5, low: 11, high: 30 };
  const result = (featureId: string, release: number | null) => ({
    featureId,
    datasetId: 'grc6',
    year: '2025',
    covers: { totalCoralCover: cover },
    dominantCoral: 'branching',
    lastSurveyed: '2025-10-01',
    photographs: 40,
    analysts: 12,
    surveys: 2,
    versions: { skill: 3, pipeline: 1, release },
  });
  const release = (number: number, results: readonly object[]) =>
    publishFile(
      database.pool,
      `map/gbr/releases/${number}/results.json`,
      'application/json',
      JSON.stringify({ version: 1, results }),
    );
  // A release has the reefs of the ones before, and one that is on the map no longer.
  await release(2, [result('gbr-3', 2), result('gbr-4', 1), result('gbr-gone', 1)]);
  await database.pool.query(`UPDATE map_sites SET properties = '{"zone": 1}' WHERE id = 'zone-0'`);
  await database.pool.query(`UPDATE map_layers SET imported_at = now() WHERE layer = 'zoning'`);
  await built(shore, ['results-gbr-r2']);
  await until(async () => {
    await archiveJobs.requestChanged();
    const zoning = (layers: typeof before) => layers.find(({ name }) => name === 'zoning-gbr')?.sha256;
    return zoning(await mapArchives.mapLayers('gbr')) === zoning(before) ? undefined : true;
  }, 'the new zones');
  const after = await mapArchives.mapLayers('gbr');
  const unchanged = before.filter(({ name }) => name !== 'zoning-gbr');
  expect(after.filter(({ name }) => unchanged.some((layer) => layer.name === name))).toEqual(unchanged);
  const archive = new PMTiles(new FetchSource(`${shore.url}/tiles/results-gbr-r2.pmtiles`));
  const tile = await archive.getZxy(6, 57, 35);
  const { results } = new VectorTile(new Pbf(new Uint8Array(tile!.data)) as never).layers;
  const shown = Array.from({ length: results!.length }, (_, n) => results!.feature(n).properties);
  expect(shown.map(({ featureId, release: of }) => [featureId, of])).toEqual([
    ['gbr-3', 2],
    ['gbr-4', 1],
  ]);
  expect(shown[0]).toEqual(
    expect.objectContaining({ featureId: 'gbr-3', totalCoralCover: 20.5, totalCoralCoverHigh: 30, analysts: 12 }),
  );
  // Its figures were cited: neither later figures, another release nor another map change it.
  const { sha256: cited } = after.find(({ name }) => name === 'results-gbr-r2')!;
  await release(3, [result('gbr-3', 3)]);
  await database.pool.query(`UPDATE map_features SET geometry = NULL WHERE id = 'gbr-3'`);
  await database.pool.query(`UPDATE map_layers SET imported_at = now() WHERE layer = 'surveyedReefs'`);
  await built(shore, ['results-gbr-r3']);
  const stays = (await mapArchives.mapLayers('gbr')).find(({ name }) => name === 'results-gbr-r2');
  expect(stays?.sha256).toBe(cited);
  const { files } = (await (await fetch(`${shore.url}/api/map-files`)).json()) as MapFilesReply;
  expect(files.at(-1)?.address, 'releases stay ashore').toBe('/tiles/validation-gbr.pmtiles');
  expect(
    readFileSync((await mapArchives.locate('reefs-gbr'))!.file)
      .subarray(0, 7)
      .toString(),
  ).toBe('PMTiles');
});

test('1§3, 3§7: surveys of the vessel that no public figure counts yet are marked, until they are ashore', async () => {
  const { box, step } = await scene();
  const client = await pairedClient(box);
  closers.push(async () => client.close());
  const survey = surveyOp();
  expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true });
  const ask = async (name: string) =>
    (await (
      await fetch(`${box.url}/edge/${name}`, { headers: { authorization: `Bearer ${box.adminToken}` } })
    ).json()) as Record<string, unknown>[];
  expect(await ask('surveys')).toMatchObject([{ id: survey.docId, isNotYetPublic: true }]);
  const loc = survey.body['loc'] as { readonly id: string };
  expect(await client.photograph(survey.docId, await jpeg())).toMatchObject({ ok: true });
  expect(await ask(`surveys?featureId=${loc.id}`), 'its card').toMatchObject([
    { id: survey.docId, type: 'scuba', images: { total: 1 }, isNotYetPublic: true },
  ]);
  expect(await ask('surveys?featureId=other')).toEqual([]);
  expect(await ask(`images?surveyId=${survey.docId}`)).toMatchObject([{ survey: { id: survey.docId } }]);
  expect(await ask('images?surveyId=other')).toEqual([]);
  expect((await ask('locations')).map(({ surveys, notYetPublic }) => [surveys, notYetPublic])).toEqual([[1, 1]]);
  await until(async () => {
    await step();
    return (await ask('surveys'))[0]?.['isNotYetPublic'] === false ? true : undefined;
  }, 'the survey ashore');
  expect((await ask('locations'))[0]).toMatchObject({ surveys: 1, notYetPublic: 0 });
});

test('1§3, 3§7: a survey that is deleted ashore leaves the reads, the map and the disk of the box', async () => {
  const { shore, box, step } = await scene();
  await importMap(shore);
  const client = await pairedClient(box);
  closers.push(async () => client.close());
  const { body, by } = surveyOp();
  const loc = { ...(body['loc'] as object), id: 'gbr-3' };
  const survey = makeOp('survey', { ...body, loc, date: '2025-11-20' }, { by: by! });
  expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true });
  const ask = async (name: string) =>
    (await (
      await fetch(`${box.url}/edge/${name}`, { headers: { authorization: `Bearer ${box.adminToken}` } })
    ).json()) as readonly Record<string, unknown>[];
  const mapAboard = async (isRight: (reefs: readonly unknown[]) => boolean) => {
    await step();
    const answer = await fetch(`${box.url}/cdn/map/gbr/features.json`, { headers: { 'accept-encoding': 'identity' } });
    const { surveyed } = (answer.status === 200 ? await answer.json() : { surveyed: {} }) as {
      surveyed: Record<string, readonly unknown[]>;
    };
    return isRight(Object.values(surveyed).flat()) ? answer.headers.get('etag')?.slice(1, -1) : undefined;
  };
  const before = await until(() => mapAboard((reefs) => reefs.length > 0), 'its reef on the map of the box');
  const stored = () => readdirSync(path.join(box.home, 'edge', 'maps'));
  expect(stored()).toContain(before);
  expect(await ask('surveys')).toMatchObject([{ id: survey.docId }]);

  const { user, session } = await signInStaff(shore, 'lena@example.org');
  const [deleted] = await shore.ops([editOf([survey], user.uid, null)], undefined, session);
  expect(deleted).toMatchObject({ receipt: { accepted: true } });
  await until(() => mapAboard((reefs) => reefs.length === 0), 'the map of the box without it');
  expect(stored()).not.toContain(before);
  await until(async () => {
    await step();
    return (await ask('surveys')).length === 0 ? true : undefined;
  }, 'the box without it');
  expect(await ask('surveys?featureId=gbr-3')).toEqual([]);
  expect(await ask('locations')).toEqual([]);
});
