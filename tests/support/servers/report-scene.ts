/** Cloud with reefs, surveys, photographs and results, as the report shows them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { PersonId, SurveyId } from '../../../src/domain/ids';
import { tableOf, reefFileSchema, type Reef } from '../../../src/domain/reef/reef';
import type { CoverEstimate } from '../../../src/domain/results/cover';
import type { ReefResult } from '../../../src/domain/results/reef-result';
import { decodeFeatureTable } from '../../../src/domain/results/tables/feature-table-file';
import { newSurvey } from '../../../src/domain/survey/survey';
import { queueFigures } from '../../../cloud-sync/api/consensus/queue/figure-queue';
import { firstPictureOf } from '../../../cloud-sync/api/consensus/publication/first-picture-file';
import { JSON_TYPE, publishFile, readPublicFile } from '../../../cloud-sync/api/region-data/public-files';
import { startCloud, type TestCloud } from './cloud';
import { makeOp, newId, sha256 } from './edge-client';
import { untilInCloud } from './cloud-wait';
import { freePort } from './free-port';

/** The built app, as the cloud serves it. */
const APP = fileURLToPath(new URL('../../../dist/app', import.meta.url));
/** Chart of the world, which a region without land of its own shows. */
const TILES = fileURLToPath(new URL('../../../dist/tiles', import.meta.url));
const REEFS = fileURLToPath(new URL('../../../public/reefs/gbr.json', import.meta.url));

/** Reefs of the scene: Moore Reef with two surveys, the others with one. */
const REEF_COUNT = 24;
/** Reefs with a result: the last of them has too few photographs for a cover. */
const RESULT_COUNT = 13;
export const PHOTOGRAPHS = 3;
export const MOORE = 'Moore Reef';

export interface ReportScene {
  readonly cloud: TestCloud;
  readonly reefs: readonly Reef[];
  readonly moore: Reef;
  /** Reef without a survey. */
  readonly bare: Reef;
  /** Survey of Moore Reef with photographs. */
  readonly surveyId: string;
  /** Survey of Moore Reef that is not public. */
  readonly privateId: string;
  /** Author of the survey with photographs. */
  readonly author: string;
  /** Adds a survey without photographs, and waits until the region's files were published again. */
  readonly survey: (reef: Reef, date: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ReportSceneOptions {
  /** True for reefs all over the region, with the archive of the map and the first picture; else they are near. */
  readonly spread?: boolean;
  /** Called once the reefs are there, before the contents list is published: adds archives of the map. */
  readonly withReefs?: (cloud: TestCloud, reefs: readonly Reef[]) => Promise<void>;
}

/** Plays the scene, and waits until the cloud has placed and counted the surveys and made the pictures. */
export async function playReportScene({ spread = false, withReefs }: ReportSceneOptions = {}): Promise<ReportScene> {
  const port = await freePort();
  const cloud = await startCloud({
    hooks: { appFolder: APP, tilesFolder: TILES },
    env: { CLOUD_PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` },
  });
  try {
    const all = tableOf(reefFileSchema.parse(JSON.parse(readFileSync(REEFS, 'utf8')))).reefs;
    const moore = all.find(({ name, gid }) => name === MOORE && gid === '16-071')!;
    const others = nearest(all, moore);
    const every = spread ? Math.floor(others.length / REEF_COUNT) : 1;
    const reefs = [moore, ...Array.from({ length: REEF_COUNT - 1 }, (_, n) => others[n * every]!)];
    const bare = others.find((reef) => !reefs.includes(reef))!;
    const features = withReefs === undefined ? reefs : [...reefs, bare];
    await addFeatures(cloud, features);
    await withReefs?.(cloud, features);
    const { id: surveyId, author } = await addSurvey(cloud, moore, '2025-11-20', PHOTOGRAPHS);
    await addSurvey(cloud, moore, '2025-10-02', 0);
    const { id: privateId } = await addSurvey(cloud, moore, '2025-12-01', 0, { private: true });
    for (const reef of reefs.slice(1)) await addSurvey(cloud, reef, '2025-11-21', 0);
    await untilPublished(cloud);
    await addResults(cloud, reefs.slice(0, RESULT_COUNT));
    if (spread) await drawMap(cloud, reefs);
    return {
      cloud,
      reefs,
      moore,
      bare,
      surveyId,
      privateId,
      author,
      survey: async (reef, date) => {
        const before = await publishedMeta(cloud);
        await addSurvey(cloud, reef, date, 0);
        await untilInCloud(cloud, async () => (await publishedMeta(cloud)) !== before, `${reef.name} is published`);
      },
      close: () => cloud.close(),
    };
  } catch (error) {
    await cloud.close();
    throw error;
  }
}

/** Builds the archive of reefs and the first picture, as the jobs after an import and new results do. */
async function drawMap(cloud: TestCloud, reefs: readonly Reef[]): Promise<void> {
  const { archiveJobs, mapArchives, database } = cloud.cloud.context;
  await database.pool.query(
    `INSERT INTO map_layers (region_id, layer, attribution, bounds, entries, imported_at)
     VALUES ('gbr', 'surveyedReefs', 'Reef Authority', '{142,-25,154,-9}', $1, now())`,
    [reefs.length],
  );
  await archiveJobs.requestChanged();
  const table = decodeFeatureTable(JSON.parse(await publicText(cloud, 'features.json')));
  const picture = await firstPictureOf(database.pool, table, reefs.slice(0, RESULT_COUNT).map(resultOf));
  await publishFile(database.pool, 'map/gbr/first.json', JSON_TYPE, picture ?? '');
  const isDrawn = async (): Promise<boolean> =>
    (await mapArchives.mapLayers('gbr')).length > 0 && (await publicText(cloud, 'meta.json')).includes('reefs-gbr');
  await untilInCloud(cloud, isDrawn, 'the archive of reefs is listed');
}

async function publicText(cloud: TestCloud, name: string): Promise<string> {
  const file = await readPublicFile(cloud.cloud.context.database.pool, `map/gbr/${name}`);
  return file?.body.toString() ?? '';
}

function nearest(all: readonly Reef[], to: Reef): readonly Reef[] {
  const far = ({ position }: Reef): number =>
    (position.latitude - to.position.latitude) ** 2 + (position.longitude - to.position.longitude) ** 2;
  return all.filter(({ id, name }) => id !== to.id && name !== '').toSorted((a, b) => far(a) - far(b));
}

async function addFeatures(cloud: TestCloud, reefs: readonly Reef[]): Promise<void> {
  const { pool } = cloud.cloud.context.database;
  for (const [row, { id, gid, name, kind, position }] of reefs.entries()) {
    const { longitude, latitude } = position;
    const bounds = [longitude - 0.03, latitude - 0.03, longitude + 0.03, latitude + 0.03];
    await pool.query(
      `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, imported)
       VALUES ('gbr', $1, $2, $3, $4, $5, $6, $7, $8, '{}')`,
      [id, row, gid, name, kind, longitude, latitude, bounds],
    );
  }
}

async function addSurvey(
  cloud: TestCloud,
  reef: Reef,
  date: string,
  photographs: number,
  more: { readonly private?: true } = {},
): Promise<{ readonly id: string; readonly author: string }> {
  const uid = newId();
  const id = newId() as SurveyId;
  const body = newSurvey({
    id,
    uid: uid as PersonId,
    name: `${reef.name}, north wall`,
    date,
    timeIn: '10:40',
    type: 'scuba',
    location: { id: reef.id, regionId: 'gbr', gid: reef.gid, name: reef.name, position: reef.position },
    duration: 42,
    camera: 'TG-6',
    experience: { overall: ['Good'], crownOfThorns: ['None seen'] },
    madeAt: `${date}T02:00:00.000Z`,
  });
  const ops = [makeOp('survey', { ...body, ...more }, { by: uid as never })];
  for (let n = 0; n < photographs; n++) {
    const content = await sharp({
      create: { width: 900, height: 675, channels: 3, background: { r: 20 + 60 * n, g: 120, b: 160 } },
    })
      .jpeg()
      .toBuffer();
    await cloud.upload(content);
    ops.push(
      makeOp('image', {
        id: newId(),
        survey: { id, name: body['name'] as string, regionId: 'gbr' },
        user: { uid },
        path: `reef-${n + 1}.jpg`,
        sha256: sha256(content),
        bytes: content.length,
        type: 'image/jpeg',
        width: 900,
        height: 675,
      }),
    );
  }
  for (const { receipt } of (await cloud.ops(ops, 'Box0000000000001')) as unknown as {
    receipt?: { accepted: boolean };
  }[])
    if (receipt?.accepted !== true) throw new Error(`the survey of ${reef.name} was not accepted`);
  const { store } = cloud.cloud.context;
  for (const op of ops.slice(1))
    await untilInCloud(
      cloud,
      async () => (await store.document('image', op.docId))?.owned['color_corrected'] !== undefined,
      'the sizes of a photograph are made',
    );
  return { id, author: uid };
}

function resultOf({ id }: Reef, n: number): ReefResult {
  const around = (value: number, by: number): CoverEstimate => ({
    value,
    low: Math.max(0, value - by),
    high: Math.min(100, value + by),
  });
  const total = 5 + 6 * n;
  const share = (of: number): CoverEstimate => around(Math.round(total * of * 10) / 10, 2);
  const isFew = n === RESULT_COUNT - 1;
  return {
    featureId: id,
    datasetId: 'grc6',
    year: '2025',
    covers: isFew
      ? null
      : {
          branchingCoralCover: share(0.5),
          platingCoralCover: share(0.2),
          massiveCoralCover: share(0.2),
          otherCoralCover: share(0.1),
          totalCoralCover: around(total, 3 + n),
        },
    dominantCoral: isFew ? null : 'branching',
    lastSurveyed: isFew ? null : '2025-11-20',
    photographs: isFew ? 3 : 40 + n,
    analysts: 12,
    surveys: 2,
    versions: { skill: 1, pipeline: 1, release: n % 2 === 0 ? null : 1 },
  };
}

async function publishedMeta(cloud: TestCloud): Promise<string | undefined> {
  return (await readPublicFile(cloud.cloud.context.database.pool, 'map/gbr/meta.json'))?.sha256;
}

/** Waits until the public table has all surveys, and no figure of them is to be published any more. */
async function untilPublished(cloud: TestCloud): Promise<void> {
  const { pool } = cloud.cloud.context.database;
  const isThere = async (): Promise<boolean> => {
    const table = await readPublicFile(pool, 'map/gbr/features.json');
    if (table === undefined) return false;
    const { surveyed } = JSON.parse(table.body.toString()) as { surveyed: Record<string, readonly unknown[]> };
    const { rowCount } = await pool.query('SELECT FROM figures_changed LIMIT 1');
    return surveyed['grc6']?.length === REEF_COUNT && rowCount === 0;
  };
  await untilInCloud(cloud, isThere, 'all surveys are published');
}

/** Stores results in place of those computed from no analysis, and waits until the cloud has published them. */
async function addResults(cloud: TestCloud, reefs: readonly Reef[]): Promise<void> {
  const { pool } = cloud.cloud.context.database;
  const isComputed = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ done: boolean }>(
      `SELECT (SELECT count(*) FROM reef_results WHERE dataset_id = 'grc6') = $1
         AND NOT EXISTS (SELECT FROM figures_changed) AS done`,
      [REEF_COUNT],
    );
    return rows[0]?.done === true;
  };
  await untilInCloud(cloud, isComputed, 'each reef has a result');
  const results = reefs.map(resultOf);
  for (const result of results)
    await pool.query(
      "UPDATE reef_results SET result = $1 WHERE region_id = 'gbr' AND dataset_id = $2 AND feature_id = $3",
      [JSON.stringify(result), result.datasetId, result.featureId],
    );
  await queueFigures(pool, 'publication', [['gbr']]);
  await cloud.cloud.context.figureJobs.request();
  const isPublished = async (): Promise<boolean> => {
    const file = await readPublicFile(pool, 'map/gbr/results.json');
    return file?.body.toString().includes('"dominantCoral":"branching"') === true;
  };
  await untilInCloud(cloud, isPublished, 'the results are published');
}
