import { afterEach, expect, it, vi } from 'vitest';
import { storeRubble } from '../../../cloud-sync/api/region-data/computed-rubble';
import { rubbleFile } from '../../../cloud-sync/api/region-data/feature-files';
import { rubbleSites } from '../../../cloud-sync/api/region-data/rubble-sites';
import { FigureScene, REGION } from '../../support/servers/figure-scene';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const survey = (n: number): string => `Survey000000000${n}`;
const image = (n: number): string => `Image00000000${String(n).padStart(3, '0')}`;
const EXPERT = 'Person0000000001';
/** Two of four equal outlines are rubble. */
const HALF = ['rubble', 'rubble', 'structure', 'structure'];

/** Surveys with a photograph each, at positions a few metres apart, or far away. */
async function scene(positions: readonly (readonly [number, number] | null)[]): Promise<FigureScene> {
  const census = await FigureScene.open();
  undo.push(() => census.close());
  await census.addDataset();
  for (const [n, position] of positions.entries()) {
    await census.addSurvey(survey(n));
    await census.place(survey(n), null);
    if (position !== null)
      await census.rows('UPDATE survey_places SET longitude = $2, latitude = $3 WHERE survey_id = $1', [
        survey(n),
        ...position,
      ]);
    await census.addImage(image(n), survey(n));
  }
  return census;
}

const sites = async (census: FigureScene) =>
  (await rubbleSites(census.database.pool, REGION)).map(({ number, photographs, probability }) => [
    number,
    photographs,
    Math.round(probability),
  ]);

it('1§3, 3§2 rubble is counted a site, where a class set has it; imported sites stay', async () => {
  const census = await scene([[146.5431, -16.5431], [146.5433, -16.5433], [147.2, -17], null]);
  await census.rows(
    `INSERT INTO map_sites (region_id, layer, id, properties, longitude, latitude) VALUES ($1, 'rubbleProbability', '00000001', '{"images": 9, "probability": 80}', 150, -20)`,
    [REGION],
  );
  expect(await sites(census)).toEqual([[0, 9, 80]]);
  for (const n of [0, 1, 2, 3]) await census.analyse(image(n), EXPERT, HALF, { version: 5, isExpert: true });
  await census.settle();
  const found = await sites(census);
  expect(found.map(([number, photographs]) => [number, photographs])).toEqual([
    [0, 9],
    [1, 2],
    [2, 1],
  ]);
  for (const [, , probability] of found.slice(1)) expect(probability).toBeGreaterThan(40);
  const text = (await rubbleFile(census.database.pool, REGION)) ?? '';
  const [head, imported, ...computed] = text.trim().split('\r\n');
  expect(head).toBe(
    'n,longitude,latitude,photographs,probability,source,low,high,analysts,skillVersion,pipelineVersion',
  );
  expect(imported).toBe('0,150,-20,9,80,imported,,,,,');
  for (const line of computed) {
    expect(line.split(',')[5]).toBe('census');
    const [, , , , value = NaN, , low = NaN, high = NaN, ...counts] = line.split(',').map(Number);
    expect(low).toBeLessThan(value);
    expect(high).toBeGreaterThan(value);
    expect(counts, 'an analyst, and versions of skill and rules').toEqual([1, 0, 1]);
  }
  for (const secret of ['146.5431', '16.5431', '146.5433', survey(0), EXPERT])
    expect(text, 'no position of a survey').not.toContain(secret);

  // The main set has no rubble, so its answers name none.
  await census.addSurvey(survey(4));
  await census.place(survey(4), null);
  await census.rows('UPDATE survey_places SET longitude = 148, latitude = -18 WHERE survey_id = $1', [survey(4)]);
  await census.addImage(image(4), survey(4));
  await census.analyse(image(4), EXPERT, ['structure', 'structure', 'structure', 'structure']);
  await census.settle();
  expect(await sites(census)).toHaveLength(3);
});

it('3§6 a survey that is no longer public leaves its rubble site, and numbers stay', async () => {
  const census = await scene([
    [146.5431, -16.5431],
    [147.2, -17],
  ]);
  for (const n of [0, 1]) await census.analyse(image(n), EXPERT, HALF, { version: 5, isExpert: true });
  await census.settle();
  expect(await census.rows(`SELECT FROM map_sites WHERE layer = 'rubbleProbabilityComputed'`)).toHaveLength(2);
  const before = await sites(census);
  await census.change('survey', survey(0), { private: true });
  await census.settle();
  expect(await sites(census)).toEqual(before.slice(1));
  await census.change('survey', survey(0), { private: false });
  await census.settle();
  expect(await sites(census)).toEqual(before);
  const published = await census.rows<{ key: string }>(`SELECT key FROM figures_changed WHERE kind = 'publication'`);
  expect(published).toEqual([]);
});

it('1§3 a site has no interval until all its surveys are computed again, and does not look imported', async () => {
  const census = await scene([]);
  const store = (n: number): Promise<unknown> =>
    storeRubble(
      census.database.pool,
      { surveyId: survey(n), regionId: REGION, longitude: 146.5431, latitude: -16.5431 },
      { photographs: 3, probability: 1.5, variance: 0.01, analysts: [EXPERT] },
      7,
    );
  const line = async (): Promise<string | undefined> =>
    (await rubbleFile(census.database.pool, REGION))?.trim().split('\r\n')[1];
  await store(0);
  await census.rows('UPDATE survey_rubble SET variance = NULL, analysts = NULL, skill = NULL');
  await store(1);
  expect(await line()).toMatch(/,6,50,census,,,,,$/);
  await store(0);
  expect(await line()).toMatch(/,6,50,census,[0-9.]+,[0-9.]+,1,7,1$/);
});

it('1§3 rubble is the same in any order of arrival', async () => {
  const positions = [
    [146.5431, -16.5431],
    [146.5433, -16.5433],
    [146.5435, -16.5435],
  ] as const;
  const texts: string[] = [];
  for (const order of [
    [0, 1, 2],
    [2, 0, 1],
  ]) {
    const census = await scene(positions);
    for (const n of order) {
      await census.analyse(image(n), EXPERT, n === 0 ? HALF : ['rubble', 'structure', 'massive', 'branching'], {
        version: 5,
        isExpert: true,
      });
      await census.settle();
    }
    const [row] = await census.rows<{ text: string }>(
      `SELECT properties::text AS text FROM map_sites WHERE layer = 'rubbleProbabilityComputed'`,
    );
    texts.push(row?.text ?? '');
  }
  expect(texts[0]).toContain('"images": 3');
  expect(texts[1]).toBe(texts[0]);
});
