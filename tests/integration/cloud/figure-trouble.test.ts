import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { ComputationError, ConsensusThread } from '../../../cloud-sync/api/consensus/thread/consensus-thread';
import { ConsensusWork } from '../../../cloud-sync/api/consensus/thread/consensus-work';
import type { PhotographDetail } from '../../../cloud-sync/api/consensus/photographs/photograph-figures';
import { categoryClass } from '../../../src/domain/analysis/free-draw/categories';
import type { JsonObject } from '../../../src/domain/json';
import type { ReefResult } from '../../../src/domain/results/reef-result';
import { analysisOp } from '../../conformance/ops';
import { labelBody, outlineSet, rectangle, tracingBody } from '../../support/analyses';
import { STAFF_TOKEN, TestCloud } from '../../support/servers/cloud';
import { DATASET, FigureScene, OUTLINES } from '../../support/servers/figure-scene';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function scene(options: Parameters<typeof FigureScene.open>[0] = {}): Promise<FigureScene> {
  const census = await FigureScene.open(options);
  undo.push(() => census.close());
  await census.addDataset();
  return census;
}

const image = (n: number): string => `Image00000000${String(n).padStart(3, '0')}`;
const person = (n: number): string => `Person000000000${n}`;
const SURVEY = 'Survey0000000001';
const ALL_BRANCHING = ['branching', 'branching', 'branching', 'branching'];
let n = 5000;

async function add(census: FigureScene, imageId: string, by: string, body: JsonObject): Promise<void> {
  const id = `Bad${imageId.slice(-5)}${by.slice(-8)}`;
  const record = { ...body, id, image: { id: imageId }, user: { uid: by } };
  await census.append(analysisOp(++n, id, imageId, record, { by: by as never }));
}

const good = labelBody(2.4, person(9), OUTLINES, { o1: 'plating', o2: 'plating', o3: 'plating', o4: 'plating' });
const water = categoryClass('background_water')!;
/** Analyses that cannot be counted, with the reason that a person reads. */
const BAD: readonly (readonly [JsonObject, RegExp])[] = [
  [{ ...good, version: 9 }, /^its version 9 is unknown$/],
  [{ ...good, geobuf_string: '?' }, /^its traces are not base64$/],
  [{ ...good, geobuf_string: 'AAAA' }, /./],
  [
    { ...labelBody(2.4, person(9), outlineSet([]), {}), otherAnswers: good['otherAnswers']! },
    /^its outlines no longer exist$/,
  ],
  [
    tracingBody(
      3,
      person(9),
      Array.from({ length: 5000 }, (_, since) => ({
        kind: 'polygon' as const,
        since,
        paints: water,
        rings: [rectangle(0, 0, 1, 1)],
      })),
    ),
    /^it paints its picture more than 400 times over$/,
  ],
];

it('2§4: analyses that cannot be read are named with their reason; all others count', async () => {
  const census = await scene();
  await census.addSurvey(SURVEY);
  await census.place(SURVEY, 'gbr-16-071');
  for (let at = 0; at < BAD.length; at++) {
    await census.addImage(image(at), SURVEY);
    await census.analyse(image(at), person(1), ALL_BRANCHING);
    await add(census, image(at), person(9), BAD[at]![0]);
  }
  // A reef of bad photographs alone, and a survey without a position.
  await census.addSurvey('Survey0000000002');
  await census.place('Survey0000000002', 'gbr-16-072');
  await census.addSurvey('Survey0000000003');
  await census.place('Survey0000000003', null);
  for (let at = 20; at < 26; at++) {
    await census.addImage(image(at), 'Survey0000000002');
    for (const by of [1, 2]) await census.analyse(image(at), person(by), [], { isBad: true });
    await census.addImage(image(at + 10), 'Survey0000000003');
    await census.analyse(image(at + 10), person(1), ALL_BRANCHING);
  }

  await census.settle();
  const reefs = new Map(
    (await census.rows<{ result: string }>('SELECT result FROM reef_results')).map(({ result }) => {
      const reef = JSON.parse(result) as ReefResult;
      return [reef.featureId, reef];
    }),
  );

  const details = await census.rows<{ image_id: string; detail: string; people: number }>(
    'SELECT image_id, detail, people FROM photograph_figures WHERE survey_id = $1 ORDER BY image_id',
    [SURVEY],
  );
  expect(details.map(({ people }) => people)).toEqual(BAD.map(() => 1));
  for (const [at, { detail }] of details.entries()) {
    const { unread } = JSON.parse(detail) as PhotographDetail;
    expect(unread).toEqual([expect.objectContaining({ reason: expect.stringMatching(BAD[at]![1]) as string })]);
  }
  expect(reefs.get('gbr-16-071')).toMatchObject({ photographs: BAD.length, analysts: 1 });
  expect(reefs.get('gbr-16-071')?.covers?.totalCoralCover.value).toBeGreaterThan(80);
  expect(reefs.get('gbr-16-072')).toMatchObject({ photographs: 0, covers: null });
  expect(reefs.size).toBe(2);
  const [dataset] = await census.rows<{ figure: string }>('SELECT figure FROM dataset_figures WHERE dataset_id = $1', [
    DATASET,
  ]);
  expect(dataset?.figure).not.toContain('null,null');
  expect(await census.figures.brokenFigures.list()).toEqual([]);
});

it('2§1: a photograph whose computation fails is set aside, and delays no release', async () => {
  const census = await scene({ batchSize: 2, thread: new BrokenThread() });
  await census.addSurvey(SURVEY);
  await census.place(SURVEY, 'gbr-16-071');
  for (const at of [1, 2]) {
    await census.addImage(image(at), SURVEY);
    for (let by = 1; by <= 3 + at; by++) await census.analyse(image(at), person(by), ALL_BRANCHING);
  }
  await census.settle();
  // The first photograph waits for a fifth analysis.
  expect(await census.rows('SELECT FROM releases')).toHaveLength(0);
  const before = await census.rows('SELECT figure FROM photograph_figures ORDER BY image_id');
  await add(census, image(1), person(9), { ...good, poison: true });
  await census.settle();
  expect(await census.figures.brokenFigures.list()).toEqual([{ imageId: image(1), why: 'a mistake of ours' }]);
  expect(await census.rows('SELECT figure FROM photograph_figures ORDER BY image_id')).toEqual(before);
  expect(await census.rows('SELECT FROM releases')).toHaveLength(1);
  // Its survey does not queue it again.
  await census.change('survey', SURVEY, { name: 'Renamed' });
  await census.settle();
  expect(await census.figures.brokenFigures.list()).toHaveLength(1);

  const cloud = await TestCloud.start({ databaseUrl: census.url });
  undo.push(() => cloud.close());
  const broken = async () => (await cloud.ask('GET', '/api/figures/broken', undefined, STAFF_TOKEN)).body;
  expect(await broken()).toEqual({ ok: true, photographs: [{ imageId: image(1), why: 'a mistake of ours' }] });
  // Its jobs start a moment after it.
  while ((await cloud.ask('POST', '/api/figures/broken/retry', {}, STAFF_TOKEN)).status !== 200) await delay(100);
  while (((await broken())['photographs'] as unknown[]).length > 0) await delay(100);
  expect(await census.rows('SELECT FROM offered_photographs WHERE is_open')).toHaveLength(2);
});

/** Thread with a mistake in its rules: an analysis with poison makes them throw. */
class BrokenThread extends ConsensusThread {
  readonly #work = new ConsensusWork();

  override run(...[request]: Parameters<ConsensusThread['run']>): ReturnType<ConsensusThread['run']> {
    if (request.kind === 'photograph' && request.analyses.some((text) => text.includes('"poison"')))
      return Promise.reject(new ComputationError('a mistake of ours'));
    return Promise.resolve(this.#work.answer(request)) as ReturnType<ConsensusThread['run']>;
  }
}
