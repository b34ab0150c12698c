/** Cloud with three reefs whose figures it computed itself from analyses: one with a cover, one with too few photographs, one with bad ones alone. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { categoryClass } from '../../../src/domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../src/domain/analysis/free-draw/marks';
import type { PersonId, SurveyId } from '../../../src/domain/ids';
import { reefFileSchema, tableOf, type Reef } from '../../../src/domain/reef/reef';
import type { ReefResult } from '../../../src/domain/results/reef-result';
import { newSurvey } from '../../../src/domain/survey/survey';
import { sceneOf } from '../../../src/imaging/reef-renderer/habitats';
import { renderReef } from '../../../src/imaging/reef-renderer/render-reef';
import { readPublicFile } from '../../../cloud-sync/api/region-data/public-files';
import { formBody, labelBody, outlineSet, predictedOutline, rectangle, tracingBody } from '../analyses';
import { startCloud, type TestCloud } from './cloud';
import { editDocument } from './document-edits';
import { makeOp, newId, sha256 } from './edge-client';
import { freePort } from './free-port';

const APP = fileURLToPath(new URL('../../../dist/app', import.meta.url));
const REEFS = fileURLToPath(new URL('../../../public/reefs/gbr.json', import.meta.url));
const BOX = 'Box0000000000001';
/** Size of the photographs, px. */
const SIZE = { width: 900, height: 675 };
const NAMES = ['Moore Reef', 'Flynn Reef', 'Milln Reef'] as const;
const LABELS = ['branching', 'plating', 'massive', 'othercoral', 'structure', 'sand'] as const;

/** Six outlines that cover most of the picture. */
const OUTLINES = outlineSet(
  [0, 1, 2, 3, 4, 5].map((n) => {
    const [left, top] = [(n % 3) / 3 + 0.02, Math.floor(n / 3) / 2 + 0.03];
    return predictedOutline(`o${n + 1}`, LABELS[n]!, rectangle(left, top, left + 0.29, top + 0.44));
  }),
  SIZE,
);

export interface ReefScene {
  readonly cloud: TestCloud;
  /** Five photographs by five people, one of whom painted; its survey is public. */
  readonly moore: Reef;
  /** Two photographs. */
  readonly few: Reef;
  /** Photographs that are all bad. */
  readonly bad: Reef;
  /** Survey of Moore Reef. */
  readonly surveyId: string;
  readonly imageIds: readonly string[];
  /** Ids of people and analyses, which no one but staff may learn. */
  readonly secrets: readonly string[];
  /** Makes the survey of Moore Reef private. */
  readonly hide: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Plays the scene, and waits until the cloud has published the results of the three reefs. */
export async function playReefScene(): Promise<ReefScene> {
  const port = await freePort();
  const cloud = await startCloud({
    hooks: { appFolder: APP },
    env: { CLOUD_PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` },
  });
  try {
    const all = tableOf(reefFileSchema.parse(JSON.parse(readFileSync(REEFS, 'utf8')))).reefs;
    const [moore, few, bad] = NAMES.map((name) => all.find((reef) => reef.name === name)!) as [Reef, Reef, Reef];
    await addFeatures(cloud, [moore, few, bad]);
    const people = Array.from({ length: 5 }, () => newId());
    const main = await addSurvey(cloud, moore, 5);
    const secrets = [...people, ...(await analyse(cloud, main, people, (by) => (by === 4 ? painted : labelled)))];
    await analyse(cloud, await addSurvey(cloud, few, 2), people.slice(0, 2), () => labelled);
    await analyse(cloud, await addSurvey(cloud, bad, 2), people.slice(0, 3), () => flagged);
    await cloud.cloud.context.figureJobs.request();
    await untilPublished(cloud, [moore, few, bad]);
    return {
      cloud,
      moore,
      few,
      bad,
      surveyId: main.surveyId,
      imageIds: main.imageIds,
      secrets,
      hide: () => editDocument(cloud, 'survey', main.surveyId, main.uid, { private: true }),
      close: () => cloud.close(),
    };
  } catch (error) {
    await cloud.close();
    throw error;
  }
}

async function addFeatures(cloud: TestCloud, reefs: readonly Reef[]): Promise<void> {
  const { pool } = cloud.cloud.context.database;
  for (const [row, { id, gid, name, kind, position }] of reefs.entries()) {
    const { longitude, latitude } = position;
    await pool.query(
      `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, imported)
       VALUES ('gbr', $1, $2, $3, $4, $5, $6, $7, $8, '{}')`,
      [
        id,
        row,
        gid,
        name,
        kind,
        longitude,
        latitude,
        [longitude - 0.03, latitude - 0.03, longitude + 0.03, latitude + 0.03],
      ],
    );
  }
}

interface AddedSurvey {
  readonly surveyId: string;
  readonly uid: string;
  readonly imageIds: readonly string[];
  readonly body: ReturnType<typeof newSurvey>;
}

async function addSurvey(cloud: TestCloud, reef: Reef, photographs: number): Promise<AddedSurvey> {
  const [uid, surveyId] = [newId(), newId() as SurveyId];
  const body = newSurvey({
    id: surveyId,
    uid: uid as PersonId,
    name: `${reef.name}, north wall`,
    date: '2025-11-20',
    timeIn: '10:40',
    type: 'scuba',
    location: { id: reef.id, regionId: 'gbr', gid: reef.gid, name: reef.name, position: reef.position },
    duration: 42,
    camera: 'TG-6',
    experience: { overall: ['Good'] },
    madeAt: '2025-11-20T02:00:00.000Z',
  });
  const ops = [makeOp('survey', body, { by: uid as never })];
  for (let n = 0; n < photographs; n++) {
    const content = await photograph(n + Number(reef.id.replaceAll(/\D/g, '').slice(-3)));
    await cloud.upload(content);
    ops.push(
      makeOp('image', {
        id: newId(),
        survey: { id: surveyId, name: body['name'] as string, regionId: 'gbr' },
        user: { uid },
        path: `reef-${n + 1}.jpg`,
        sha256: sha256(content),
        bytes: content.length,
        type: 'image/jpeg',
        ...SIZE,
      }),
    );
  }
  await send(cloud, ops);
  const imageIds = ops.slice(1).map(({ docId }) => docId);
  const { store } = cloud.cloud.context;
  for (const id of imageIds)
    while ((await store.document('image', id))?.owned['color_corrected'] === undefined) await soon();
  return { surveyId, uid, imageIds, body };
}

async function photograph(seed: number): Promise<Buffer> {
  const { rgb, width, height } = renderReef(sceneOf('crest', seed, { width: 300, height: 225 }));
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .resize(SIZE.width, SIZE.height)
    .jpeg()
    .toBuffer();
}

/** Answer of a person on a photograph, as the body of its analysis. */
type AnswerOf = (uid: string, n: number, by: number) => ReturnType<typeof labelBody>;

/** One person in five sees one coral for another. */
const labelled: AnswerOf = (uid, n, by) =>
  labelBody(
    2.4,
    uid,
    OUTLINES,
    Object.fromEntries(
      [0, 1, 2, 3, 4, 5].map((place) => [`o${place + 1}`, LABELS[(place + n + (by === 3 ? 1 : 0)) % LABELS.length]!]),
    ),
  );

const painted: AnswerOf = (uid) => {
  const stroke = (type: string, y: number): FreeDrawMark => ({
    kind: 'stroke',
    since: Date.parse('2025-11-21T03:00:00.000Z') + 1000 * y,
    paints: categoryClass(type)!,
    points: [
      [0.1, y],
      [0.5, y + 0.1],
      [0.9, y],
    ],
  });
  const marks = [stroke('reef_hardcoral_branching', 0.2), stroke('reef_hardcoral_plating', 0.5)];
  return tracingBody(
    3,
    uid,
    [...marks, { kind: 'zap', since: 2e12, paints: categoryClass('background_substrate')! }],
    SIZE,
  );
};

const flagged: AnswerOf = (uid) => formBody(uid, {}, true);

/** Analyses photographs by people; returns the ids of the analyses. */
async function analyse(
  cloud: TestCloud,
  { surveyId, imageIds }: AddedSurvey,
  people: readonly string[],
  answerOf: (by: number) => AnswerOf,
): Promise<readonly string[]> {
  const ops = imageIds.flatMap((imageId, n) =>
    people.map((uid, by) => {
      const id = newId();
      const body = {
        ...answerOf(by)(uid, n, by),
        id,
        image: { id: imageId },
        survey: { id: surveyId, regionId: 'gbr' },
        user: { uid },
      };
      return makeOp('analysis', body, { by: uid as never });
    }),
  );
  await send(cloud, ops);
  return ops.map(({ docId }) => docId);
}

async function send(cloud: TestCloud, ops: readonly unknown[]): Promise<void> {
  for (const { receipt } of (await cloud.ops(ops, BOX)) as unknown as { receipt?: { accepted: boolean } }[])
    if (receipt?.accepted !== true) throw new Error('an operation of the scene was not accepted');
}

/** Waits until the public results have all reefs, with every photograph of them. */
async function untilPublished(cloud: TestCloud, reefs: readonly Reef[]): Promise<void> {
  const { pool } = cloud.cloud.context.database;
  const isThere = async (): Promise<boolean> => {
    const file = await readPublicFile(pool, 'map/gbr/results.json');
    if (file === undefined) return false;
    const { results } = JSON.parse(file.body.toString()) as { results: readonly ReefResult[] };
    const counts = new Map(results.map(({ featureId, photographs }) => [featureId, photographs]));
    const [moore, few, bad] = reefs.map(({ id }) => counts.get(id));
    return moore === 5 && few === 2 && bad === 0;
  };
  while (!(await isThere())) await soon();
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));
