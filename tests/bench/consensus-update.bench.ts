import { queueRecount } from '../../cloud-sync/api/consensus/queue/recount-figures';
import { launchPostgres } from '../../cloud-sync/api/postgres/launcher';
import { analysisOp } from '../conformance/ops';
import { labelBody, outlineSet, predictedOutline, rectangle } from '../support/analyses';
import { seeded } from '../support/seed';
import { DATASET, FigureScene, LABELS, REGION } from '../support/servers/figure-scene';
import { benchFolder, removeFolder } from './tools/child';
import { FAST_FILLING } from './tools/cloud-database';
import type { Bench } from './tools/harness';
import { median } from './tools/harness';

const PHOTOGRAPHS = 100_000;
const IMAGES_A_SURVEY = 50;
const SURVEYS = PHOTOGRAPHS / IMAGES_A_SURVEY;
const REEFS = 400;
/** Photographs with analyses; the others have the figures of these. */
const SAMPLE = 200;
const EACH = 5;
const ROUNDS = 7;
const GRID = [6, 5] as const;

/** Thirty outlines that cover the picture. */
const SET = outlineSet(
  Array.from({ length: GRID[0] * GRID[1] }, (_, n) => {
    const [column, row] = [n % GRID[0], Math.floor(n / GRID[0])];
    const [width, height] = [1 / GRID[0], 1 / GRID[1]];
    const box = rectangle(column * width, row * height, (column + 1) * width, (row + 1) * height);
    return predictedOutline(`o${String(n).padStart(2, '0')}`, 'branching', box);
  }),
);

/**
 * One new analysis, from its operation to the published files, beside a recount of all photographs, surveys, reefs and
 * datasets. A recount of the photographs is scaled from a sample with analyses; what comes after is recounted in full.
 */
export const bench: Bench = {
  about: `one new analysis among ${PHOTOGRAPHS.toLocaleString('en')} photographs of ${SURVEYS.toLocaleString('en')} surveys, beside a recount`,
  async run(say) {
    const folder = await benchFolder('consensus-update');
    const server = await launchPostgres({ folder: `${folder}/postgres`, settings: FAST_FILLING });
    try {
      const census = await FigureScene.open({ databaseUrl: server.url });
      try {
        return await measure(census, say);
      } finally {
        await census.close();
      }
    } finally {
      await server.stop();
      await removeFolder(folder);
    }
  },
};

async function measure(census: FigureScene, say: (line: string) => void) {
  await addSample(census);
  await census.settle();
  const { pool } = census.database;
  await queueRecount(pool);
  const photographs = await timed(census, 'photograph');
  await fill(census);
  // A recount of what follows the photographs: the fill queued all surveys.
  const rest = await timed(census, null);
  const each = photographs / SAMPLE;
  const recount = each * PHOTOGRAPHS + rest;
  say(
    `recount: ${(each * 1000).toFixed(1)} ms a photograph, ${rest.toFixed(0)} s for ${SURVEYS} surveys and all results; ${recount.toFixed(0)} s in all`,
  );
  const random = seeded(3);
  const updates: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const began = performance.now();
    await analyse(census, random.below(SAMPLE), `New${String(round).padStart(13, '0')}`, random);
    await census.settle();
    // The first round warms up.
    if (round > 0) updates.push((performance.now() - began) / 1000);
  }
  say(`one analysis: ${(median(updates) * 1000).toFixed(0)} ms until its figures and files are stored`);
  return [
    {
      figure: 'cost of one new analysis',
      value: (1000 * median(updates)) / recount,
      unit: '‰',
      rule: '<=' as const,
      goal: 1,
      rival: 'a recount, photographs scaled from a sample',
    },
  ];
}

/** Seconds that figures of a kind take, or all of them, until none is queued. */
async function timed(census: FigureScene, kind: string | null): Promise<number> {
  let [seconds, since] = [0, performance.now()];
  let current: string | undefined;
  const note = (next?: string): void => {
    if (current !== undefined && (kind === null || current === kind)) seconds += (performance.now() - since) / 1000;
    [current, since] = [next, performance.now()];
  };
  await census.settle(false, note);
  note();
  return seconds;
}

const surveyId = (n: number): string => `Survey${String(n).padStart(10, '0')}`;
const imageId = (n: number): string => `Image${String(n).padStart(11, '0')}`;

async function analyse(
  census: FigureScene,
  photograph: number,
  by: string,
  random: ReturnType<typeof seeded>,
): Promise<void> {
  const id = `A${imageId(photograph).slice(-6)}${by.slice(-9)}`;
  const labels = Object.fromEntries(SET.outlines.map(({ id: outline }) => [outline, random.pick(LABELS)]));
  const body = { ...labelBody(2.4, by, SET, labels), id, image: { id: imageId(photograph) }, user: { uid: by } };
  await census.append(analysisOp(10_000 + random.below(1e6), id, imageId(photograph), body, { opId: id as never }));
}

async function addSample(census: FigureScene): Promise<void> {
  const random = seeded(1);
  await census.addDataset();
  for (let n = 0; n < SAMPLE / IMAGES_A_SURVEY; n++) {
    await census.addSurvey(surveyId(n));
    await census.place(surveyId(n), `gbr-${n % REEFS}`);
  }
  for (let n = 0; n < SAMPLE; n++) {
    await census.addImage(imageId(n), surveyId(Math.floor(n / IMAGES_A_SURVEY)));
    for (let by = 0; by < EACH; by++)
      await analyse(census, n, `Person${String((n + by * 17) % 60).padStart(10, '0')}`, random);
  }
}

/** Adds the other surveys and photographs, with the figures of the sample, in PostgreSQL itself. */
async function fill(census: FigureScene): Promise<void> {
  const first = SAMPLE / IMAGES_A_SURVEY;
  await census.rows(
    `INSERT INTO docs (kind, doc_id, folded, deleted, created_at, updated_at, survey_id, counted, shown, owner, date, region_id, loc_id)
     SELECT 'survey', 'Survey' || lpad(n::text, 10, '0'), '{}', false, '2025-11-20', '2025-11-20', NULL, '[]', '{}', 'Person0000000001', '2025-11-20', '${REGION}', NULL
     FROM generate_series(${first}, ${SURVEYS - 1}) AS n`,
  );
  await census.rows(
    `INSERT INTO photograph_figures (image_id, survey_id, skill, figure, detail, sheet, people, has_expert, bad)
     SELECT 'Image' || lpad(n::text, 11, '0'), 'Survey' || lpad((n / ${IMAGES_A_SURVEY})::text, 10, '0'), f.skill,
       replace(replace(f.figure, f.image_id, 'Image' || lpad(n::text, 11, '0')), f.survey_id, 'Survey' || lpad((n / ${IMAGES_A_SURVEY})::text, 10, '0')), f.detail, '{}', f.people, false, false
     FROM generate_series(${SAMPLE}, ${PHOTOGRAPHS - 1}) AS n JOIN photograph_figures f ON f.image_id = 'Image' || lpad((n * 7 % ${SAMPLE})::text, 11, '0')`,
  );
  await census.rows(
    `INSERT INTO survey_places (survey_id, region_id, feature_id, dataset_ids, is_public, images, day)
     SELECT 'Survey' || lpad(n::text, 10, '0'), '${REGION}', 'gbr-' || n % ${REEFS}, '{${DATASET}}', true, ${IMAGES_A_SURVEY}, '2025-11-20'
     FROM generate_series(${first}, ${SURVEYS - 1}) AS n`,
  );
  await census.rows('ANALYZE');
}
