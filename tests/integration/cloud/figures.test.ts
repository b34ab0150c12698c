import { Worker } from 'node:worker_threads';
import { afterEach, expect, it, vi } from 'vitest';
import { ConsensusThread } from '../../../cloud-sync/api/consensus/thread/consensus-thread';
import { FigureQueue, queueFigures } from '../../../cloud-sync/api/consensus/queue/figure-queue';
import { regionFigures } from '../../../cloud-sync/api/consensus/results/region-figures';
import type { Reader } from '../../../cloud-sync/api/reads/read-definition';
import { Reads } from '../../../cloud-sync/api/reads/reads';
import { readPublicFile } from '../../../cloud-sync/api/region-data/public-files';
import type { JsonObject } from '../../../src/domain/json';
import { readPhotographsCsv } from '../../../src/domain/results/csv/photographs-csv';
import { reproduceFigures } from '../../../src/domain/results/csv/reproduce-figures';
import type { PooledSpread } from '../../../src/domain/results/estimates/pooled-spread';
import type { PhotographFigure } from '../../../src/domain/results/photograph-figure';
import type { ReefResult } from '../../../src/domain/results/reef-result';
import { encodeReefResults } from '../../../src/domain/results/tables/reef-results-file';
import { DATASET, FigureScene, LABELS, analysisId } from '../../support/servers/figure-scene';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function scene(options: Parameters<typeof FigureScene.open>[0] = {}): Promise<FigureScene> {
  const opened = await FigureScene.open(options);
  undo.push(() => opened.close());
  return opened;
}

const survey = (n: number): string => `Survey000000000${n}`;
const image = (n: number): string => `Image00000000${String(n).padStart(3, '0')}`;
const person = (n: number): string => `Person000000000${n}`;
const SURVEYS = 2;
const IMAGES = 12;

/** Two surveys of one reef with twelve photographs. */
async function addPhotographs(census: FigureScene): Promise<void> {
  await census.addDataset();
  for (let n = 1; n <= SURVEYS; n++) {
    await census.addSurvey(survey(n));
    await census.place(survey(n), 'gbr-16-071');
  }
  for (let n = 1; n <= IMAGES; n++) await census.addImage(image(n), survey((n % SURVEYS) + 1));
}

/** Analyses as `[photograph, person]`; one person in four is mistaken. */
const ANALYSES = Array.from({ length: IMAGES * 4 }, (_, i) => [(i % IMAGES) + 1, Math.floor(i / IMAGES) + 1] as const);

const labels = (n: number, by: number): readonly string[] =>
  [0, 1, 2, 3].map((place) => LABELS[(n + place + (by === 4 ? place : 0)) % LABELS.length] ?? '');

const analyse = (census: FigureScene, [n, by]: readonly [number, number]): Promise<void> =>
  census.analyse(image(n), person(by), labels(n, by), { isExpert: by === 1 && n % 3 === 0 });

async function result(census: FigureScene): Promise<ReefResult | undefined> {
  const [row] = await census.rows<{ result: string }>('SELECT result FROM reef_results');
  return row === undefined ? undefined : (JSON.parse(row.result) as ReefResult);
}

const STRANGER: Reader = { person: null, node: null, isSignedIn: false, isStaff: false };
const readerOf = (uid: string): Reader => ({ person: uid as never, node: null, isSignedIn: true, isStaff: false });

interface Offered {
  readonly id: string;
  readonly analyses: number;
}

async function offeredPage(reads: Reads, uid: string, from: string): Promise<readonly Offered[]> {
  const answer = JSON.parse(await reads.answer('images-to-analyse', { from }, readerOf(uid))) as { items: Offered[] };
  return answer.items;
}

/** Ids of all photographs that a person is offered. */
async function allOffered(reads: Reads, uid: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let from: string | null = '0'; from !== null;) {
    const text: string = await reads.answer('images-to-analyse', { from }, readerOf(uid));
    const { items, next } = JSON.parse(text) as { items: Offered[]; next: string | null };
    found.push(...items.map(({ id }) => id));
    from = next;
  }
  return found;
}

it('1§3, 3§3: a reef gets its covers with intervals, photographs, analysts and versions', async () => {
  const census = await scene();
  await addPhotographs(census);
  for (const each of ANALYSES) await analyse(census, each);
  await census.settle();
  const first = await result(census);
  expect(first).toMatchObject({
    featureId: 'gbr-16-071',
    year: '2025',
    photographs: IMAGES,
    analysts: 4,
    surveys: SURVEYS,
    lastSurveyed: '2025-11-20',
    versions: { skill: 0, pipeline: 1, release: null },
  });
  const total = first?.covers?.totalCoralCover;
  expect(total?.low).toBeLessThan(total?.value ?? 0);
  expect(total?.high).toBeGreaterThan(total?.value ?? 0);
  const { datasets } = await regionFigures(census.database.pool, 'gbr');
  expect(datasets.get(DATASET)).toMatchObject({
    resultReefs: 1,
    result: { covers: first?.covers, photographs: IMAGES, analysts: 4, surveys: SURVEYS },
  });
  expect(await census.figures.skillVersions.renew()).toBe(1);
  await census.settle();
  expect((await result(census))?.versions.skill).toBe(1);
  // Nothing changed since.
  expect(await census.figures.skillVersions.renew()).toBe(1);
});

it('2§1: two processes compute the same bytes in any order of arrival', async () => {
  const [one, other] = [await scene(), await scene()];
  await addPhotographs(one);
  for (const each of ANALYSES) await analyse(one, each);
  await one.settle();
  await one.figures.skillVersions.renew();
  await one.settle();

  await addPhotographs(other);
  const second = await scene({ databaseUrl: other.url });
  for (const [i, each] of [...ANALYSES].reverse().entries()) {
    await analyse(i % 2 === 0 ? other : second, each);
    if (i % 8 === 0) await Promise.all([other.settle(), second.settle()]);
  }
  await Promise.all([other.settle(), second.settle()]);
  await Promise.all([other.figures.skillVersions.renew(), second.figures.skillVersions.renew()]);
  await Promise.all([other.settle(), second.settle()]);
  await other.settle();
  expect(await other.figuresText()).toBe(await one.figuresText());
});

it('1§3: private, deleted and demo surveys enter no public figure; one made private leaves it', async () => {
  const census = await scene();
  await addPhotographs(census);
  for (const each of ANALYSES) await analyse(census, each);
  await census.addSurvey(survey(7), { demo: true });
  await census.place(survey(7), 'gbr-16-071');
  await census.addImage(image(70), survey(7));
  await census.analyse(image(70), person(1), ['plating', 'plating', 'plating', 'plating']);
  await census.settle();
  expect(await result(census)).toMatchObject({ photographs: IMAGES, surveys: SURVEYS });
  const offered = async () =>
    (await census.rows<{ n: number }>('SELECT count(*)::int AS n FROM offered_photographs WHERE is_open'))[0]?.n;
  expect(await offered()).toBe(IMAGES);

  await census.change('survey', survey(1), { private: true });
  await census.settle();
  const half = { photographs: IMAGES / SURVEYS, surveys: 1 };
  expect(await result(census)).toMatchObject(half);
  expect(await offered()).toBe(IMAGES / 2);
  const file = await readPublicFile(census.database.pool, 'map/gbr/results.csv');
  expect(file?.body.toString()).toContain('gbr-16-071');
  for (const secret of [survey(1), survey(2), image(1), person(1)]) expect(file?.body.toString()).not.toContain(secret);

  // Region data may say "public" for a moment: the record decides.
  await census.place(survey(1), 'gbr-16-071', true, [DATASET, 'Dataset000000002']);
  await census.settle();
  expect(await result(census)).toMatchObject(half);

  await census.change('survey', survey(2), { isDeleted: true });
  await census.settle();
  expect(await result(census)).toBeUndefined();
  expect(await census.rows('SELECT FROM dataset_figures')).toEqual([]);
  expect(await census.figures.skillVersions.renew()).toBe(1);
  const [skill] = await census.rows<{ photographs: number }>('SELECT photographs FROM skill_versions');
  expect(skill?.photographs).toBe(0);

  await census.change('survey', survey(1), { private: false });
  await census.settle();
  expect(await result(census)).toMatchObject(half);
});

it('1§4: deleted analyses and photographs leave the same bytes as if they had never existed', async () => {
  const [one, other] = [await scene(), await scene()];
  for (const census of [one, other]) {
    await addPhotographs(census);
    for (const each of ANALYSES.slice(0, 30)) await analyse(census, each);
  }
  await one.settle();
  await other.addImage(image(99), survey(1));
  await other.analyse(image(99), person(1), labels(1, 1));
  await other.analyse(image(1), person(9), labels(3, 4));
  await other.settle();
  expect((await result(other))?.photographs).toBe(IMAGES + 1);
  await other.change('analysis', analysisId(image(1), person(9)), { isDeleted: true });
  await other.change('image', image(99), { isDeleted: true });
  await other.settle();
  expect(await other.figuresText()).toBe(await one.figuresText());
});

it('2§4: the latest analysis of a person counts, in any order of arrival', async () => {
  const census = await scene();
  await addPhotographs(census);
  const later = { id: 'AnalysisLater001', madeAt: '2026-11-21T00:00:01.000Z' };
  await census.analyse(image(1), person(1), ['plating', 'plating', 'plating', 'plating'], later);
  await census.analyse(image(1), person(1), ['branching', 'branching', 'branching', 'branching']);
  await census.settle();
  const [row] = await census.rows<{ figure: string; people: number }>('SELECT figure, people FROM photograph_figures');
  expect(row?.people).toBe(1);
  const { shares } = JSON.parse(row?.figure ?? '') as PhotographFigure;
  expect(shares.plating).toBeGreaterThan(shares.branching);
});

it('2§9: a photograph is retired at five analyses, or when it is likelier bad after two', async () => {
  const census = await scene();
  await addPhotographs(census);
  for (let by = 1; by <= 5; by++) await census.analyse(image(1), person(by), labels(1, 1));
  for (let by = 1; by <= 2; by++) await census.analyse(image(2), person(by), [], { isBad: true });
  await census.analyse(image(3), person(1), [], { isBad: true });
  await census.settle();
  expect(
    await census.rows('SELECT image_id AS id, people FROM offered_photographs WHERE retired ORDER BY image_id'),
  ).toEqual([
    { id: image(1), people: 5 },
    { id: image(2), people: 2 },
  ]);
  const reads = new Reads(census.database.pool, () => ({}));
  const offered = await allOffered(reads, person(9));
  expect(offered).not.toContain(image(1));
  expect(offered).not.toContain(image(2));
  expect(offered).toContain(image(3));
});

it('2§9: photographs of the first open batch go first, and one in twenty is one of experts', async () => {
  const census = await scene({ batchSize: 6 });
  await addPhotographs(census);
  await census.settle();
  const reads = new Reads(census.database.pool, () => ({}));
  const batches = new Map(
    (await census.rows<{ id: string; batch: number }>('SELECT image_id AS id, batch FROM offered_photographs')).map(
      ({ id, batch }) => [id, batch],
    ),
  );
  const first = await offeredPage(reads, person(9), '0');
  expect(first.filter(({ id }) => batches.get(id) === 1)).toHaveLength(
    [...batches.values()].filter((batch) => batch === 1).length,
  );

  await census.addImage(image(90), survey(1));
  for (let by = 1; by <= 5; by++) await census.analyse(image(90), person(by), labels(1, 1), { isExpert: by === 1 });
  await census.settle();
  let [given, controls] = [0, 0];
  for (let n = 0; n < 300; n++) {
    const page = await offeredPage(reads, `Reader${String(n).padStart(10, '0')}`, '0');
    expect(new Set(page.map(({ id }) => id)).size).toBe(page.length);
    expect(Math.max(...page.map(({ analyses }) => analyses))).toBeLessThan(5);
    given += page.length;
    controls += page.filter(({ id }) => id === image(90)).length;
  }
  expect(controls / given).toBeGreaterThan(0.025);
  expect(controls / given).toBeLessThan(0.1);
});

it('2§1: a batch with five analyses each, or bad, is released; its rows reproduce every figure', async () => {
  const census = await scene({ batchSize: IMAGES });
  await addPhotographs(census);
  for (const each of ANALYSES) await analyse(census, each);
  await census.figures.skillVersions.renew();
  await census.settle();
  expect((await result(census))?.versions.release).toBeNull();
  for (let n = 1; n <= IMAGES; n++)
    if (n === 3) await Promise.all([5, 6, 7, 8].map((by) => census.analyse(image(n), person(by), [], { isBad: true })));
    else await census.analyse(image(n), person(5), labels(n, 5));
  await census.settle();
  await census.figures.skillVersions.renew();
  await census.settle();
  const published = await result(census);
  expect(published?.versions).toEqual({ skill: 2, pipeline: 1, release: 1 });
  const fileOf = async (name: string) =>
    (await readPublicFile(census.database.pool, `map/gbr/${name}`))?.body.toString() ?? '';
  const csv = await fileOf('releases/1/photographs.csv');
  for (const secret of [...Array.from({ length: 9 }, (_, n) => person(n)), survey(1), image(1)])
    expect(csv).not.toContain(secret);
  const versions = JSON.parse(await fileOf('releases/1/results.json')) as { results: ReefResult[] };
  const { results } = reproduceFigures(
    readPhotographsCsv(csv),
    JSON.parse(await fileOf('releases/1/spread.json')) as PooledSpread,
    versions.results[0]!.versions,
  );
  expect(encodeReefResults(results)).toBe(await fileOf('releases/1/results.json'));

  // Later analyses change the present figures, but not the release.
  await census.analyse(image(2), person(9), ['massive', 'massive', 'massive', 'massive']);
  await census.settle();
  expect(await result(census)).not.toEqual(published);
  expect(await fileOf('releases/1/photographs.csv')).toBe(csv);
  expect(await fileOf('results.json')).toBe(encodeReefResults([(await result(census))!]));
});

it('2§1: a release waits for a reef whose computation failed, since its files never change', async () => {
  const census = await scene({ batchSize: IMAGES });
  const { pool } = census.database;
  const isPublished = async (): Promise<boolean> =>
    (await readPublicFile(pool, 'map/gbr/releases/1/results.json')) !== undefined;
  await addPhotographs(census);
  for (let n = 1; n <= IMAGES; n++)
    for (const by of [1, 2, 3, 4, 5]) await census.analyse(image(n), person(by), labels(n, by));
  await census.settle();
  expect(await isPublished()).toBe(true);
  await pool.query(`DELETE FROM public_files WHERE path LIKE 'map/gbr/releases/%'`);
  await queueFigures(pool, 'reef', [['gbr', DATASET, 'gbr-16-071']], { delayS: 600 });
  await queueFigures(pool, 'publication', [['gbr']]);
  const publication = await new FigureQueue(pool).next();
  expect(publication?.kind).toBe('publication');
  await census.figures.figureJobs.compute(publication!);
  expect(await isPublished()).toBe(false);
  await census.settle();
  expect(await isPublished()).toBe(true);
});

it('2§1: a photograph that ends its thread is set aside with a reason; others are computed', async () => {
  let started = 0;
  const thread = new ConsensusThread({
    start: () => {
      started++;
      return new Worker(
        `const { parentPort } = require('node:worker_threads');
         parentPort.on('message', ({ kind }) => kind === 'photograph' ? process.exit(7) : parentPort.postMessage({ kind }));`,
        { eval: true },
      );
    },
  });
  const census = await scene({ thread });
  await addPhotographs(census);
  await analyse(census, [1, 1]);
  await census.settle();
  expect(await census.figures.brokenFigures.list()).toEqual([
    { imageId: image(1), why: 'its thread ended with code 7' },
  ]);
  expect(started).toBe(3);
  const healthy = await scene({ databaseUrl: census.url });
  await healthy.figures.brokenFigures.tryAgain();
  await healthy.settle();
  expect(await healthy.figures.brokenFigures.list()).toEqual([]);
  expect(await healthy.rows('SELECT image_id FROM photograph_figures')).toEqual([{ image_id: image(1) }]);
});

it('3§3: answers on a photograph have letters; staff get names, and strangers nothing', async () => {
  const census = await scene();
  await addPhotographs(census);
  for (const each of ANALYSES) await analyse(census, each);
  await census.settle();
  const reads = new Reads(census.database.pool, () => ({}));
  const ask = async (name: string, query: object, reader: Reader) =>
    JSON.parse(await reads.answer(name, query, reader)) as { items: JsonObject[]; next: string | null };
  await expect(ask('image-consensus', { imageId: image(1) }, STRANGER)).rejects.toMatchObject({ code: 'unauthorised' });
  const { items } = await ask('image-consensus', { imageId: image(1) }, readerOf(person(9)));
  expect(items).toHaveLength(1);
  expect((items[0]?.['analysts'] as JsonObject[]).map(({ analyst }) => analyst)).toEqual(['A', 'B', 'C', 'D']);
  expect(JSON.stringify(items)).not.toContain('Person');
  const staff = await ask('image-consensus', { imageId: image(1) }, { ...readerOf(person(9)), isStaff: true });
  expect(JSON.stringify(staff.items)).toContain(person(1));

  const pie = { featureId: 'gbr-16-071', datasetId: DATASET, class: 'total', limit: 5 };
  const page = await ask('share-photographs', pie, readerOf(person(9)));
  const rest = await ask('share-photographs', { ...pie, limit: 100, after: page.next }, readerOf(person(9)));
  const shares = [...page.items, ...rest.items].map((item) => item['share'] as number);
  expect(shares).toEqual([...shares].sort((a, b) => b - a));
  expect(new Set([...page.items, ...rest.items].map(({ id }) => id)).size).toBe(IMAGES);
  const { items: results } = await ask('reef-results', { regionId: 'gbr' }, STRANGER);
  expect(results).toEqual([await result(census)]);
  const [comparison] = (await ask('answer-comparison', { regionId: 'gbr' }, { ...readerOf(person(9)), isStaff: true }))
    .items;
  expect(comparison).toMatchObject({ model: null, citizens: { photographs: IMAGES / 3 } });

  await census.change('survey', survey(1), { private: true });
  expect((await ask('image-consensus', { imageId: image(2) }, readerOf(person(9)))).items).toEqual([]);
  expect((await ask('share-photographs', { ...pie, limit: 100 }, readerOf(person(9)))).items).toHaveLength(IMAGES / 2);
});
