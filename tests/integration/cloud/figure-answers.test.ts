import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Reader } from '../../../cloud-sync/api/reads/read-definition';
import { Reads } from '../../../cloud-sync/api/reads/reads';
import { readLabelRecord } from '../../../src/domain/analysis/labelling/label-record';
import { labellingOf } from '../../../src/domain/analysis/labelling/labelling';
import type { JsonObject } from '../../../src/domain/json';
import { DATASET, FigureScene, LABELS, analysisId } from '../../support/servers/figure-scene';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SURVEY = 'Survey0000000001';
const [IMAGE, OTHER] = ['Image00000000001', 'Image00000000002'];
const person = (n: number): string => `Person000000000${n}`;
const ANALYSTS = [1, 2, 3, 4];
const labelsOf = (by: number): readonly string[] => [0, 1, 2, 3].map((place) => LABELS[(by + place) % LABELS.length]!);

const STRANGER: Reader = { person: null, node: null, isSignedIn: false, isStaff: false };
const reader: Reader = { person: person(9) as never, node: null, isSignedIn: true, isStaff: false };
const staff: Reader = { ...reader, isStaff: true };

let census: FigureScene;
let reads: Reads;

beforeEach(async () => {
  census = await FigureScene.open();
  await census.addDataset();
  await census.addSurvey(SURVEY);
  await census.place(SURVEY, 'gbr-16-071');
  for (const image of [IMAGE, OTHER]) {
    await census.addImage(image, SURVEY);
    for (const by of ANALYSTS) await census.analyse(image, person(by), labelsOf(by));
  }
  await census.settle();
  reads = new Reads(census.database.pool, () => ({}));
});
afterEach(async () => census.close());

async function items(name: string, query: object, by: Reader): Promise<readonly JsonObject[]> {
  return (JSON.parse(await reads.answer(name, query, by)) as { items: JsonObject[] }).items;
}

interface Analyst {
  readonly analyst: string;
  readonly answerId: string;
}

async function analystsOf(imageId: string, by: Reader = reader): Promise<readonly Analyst[]> {
  const [consensus] = await items('image-consensus', { imageId }, by);
  return consensus!['analysts'] as unknown as Analyst[];
}

/** Labels of an answer in the order of its outlines. */
function labelsIn(answer: JsonObject): readonly string[] {
  const read = readLabelRecord(answer['record'] as JsonObject);
  if (read.kind !== 'labels') throw new Error('a labelling was expected');
  const { labels } = labellingOf(read.version, read.set.outlines, read.logs);
  return ['o1', 'o2', 'o3', 'o4'].map((id) => labels.get(id) ?? '');
}

it('2§9 an answer behind a consensus shows its outlines and labels, and nothing of its author', async () => {
  const analysts = await analystsOf(IMAGE);
  expect(analysts.map(({ analyst }) => analyst)).toEqual(['A', 'B', 'C', 'D']);
  const found: string[] = [];
  for (const { analyst, answerId } of analysts) {
    const [answer] = await items('image-answer', { imageId: IMAGE, answerId }, reader);
    expect(answer).toMatchObject({ imageId: IMAGE, answerId, analyst, hidden: 0 });
    found.push(labelsIn(answer!).join());
    const text = JSON.stringify(answer);
    for (const secret of ['Person', SURVEY, '2026', ...ANALYSTS.map((by) => analysisId(IMAGE, person(by)))])
      expect(text).not.toContain(secret);
  }
  expect(found.toSorted()).toEqual(ANALYSTS.map((by) => labelsOf(by).join()).toSorted());
});

it('2§9 staff get the person of an answer, strangers are refused, and unknown answers are empty', async () => {
  const [first] = await analystsOf(IMAGE, staff);
  const [answer] = await items('image-answer', { imageId: IMAGE, answerId: first!.answerId }, staff);
  expect(answer!['uid']).toMatch(/^Person/);
  expect(labelsIn(answer!)).toEqual(labelsOf(Number(String(answer!['uid']).slice(-1))));
  for (const name of ['image-answer', 'image-consensus'])
    await expect(items(name, { imageId: IMAGE, answerId: first!.answerId }, STRANGER)).rejects.toMatchObject({
      code: 'unauthorised',
    });
  expect(await items('image-answer', { imageId: OTHER, answerId: first!.answerId }, reader)).toEqual([]);
  expect(await items('image-answer', { imageId: IMAGE, answerId: `' OR true --` }, reader)).toEqual([]);
});

it('2§9, 3§3 a letter stays with its analyst: others answer, delete, answer again', async () => {
  const lettersOf = async (): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries(
      ((await analystsOf(IMAGE, staff)) as readonly (Analyst & { readonly uid: string })[]).map(({ uid, analyst }) => [
        uid,
        analyst,
      ]),
    );
  // Ids of the later ones come before those of the first: no order of ids is meant.
  const [last, first] = ['Person0000000000', person(5)];
  await census.analyse(IMAGE, first, labelsOf(5), { id: 'Analysis00000000' });
  await census.settle();
  const five = { [person(1)]: 'A', [person(2)]: 'B', [person(3)]: 'C', [person(4)]: 'D', [first]: 'E' };
  expect(await lettersOf()).toEqual(five);
  await census.change('analysis', analysisId(IMAGE, person(2)), { isDeleted: true });
  await census.analyse(IMAGE, last, labelsOf(6));
  await census.settle();
  const { [person(2)]: gone, ...left } = five;
  expect(gone).toBe('B');
  expect(await lettersOf()).toEqual({ ...left, [last]: 'F' });
  // Back with another analysis: the same letter.
  await census.analyse(IMAGE, person(2), labelsOf(7), { id: 'AnalysisAgain001', madeAt: '2026-11-21T00:00:01.000Z' });
  await census.analyse(IMAGE, person(3), labelsOf(7), { id: 'AnalysisAgain002', madeAt: '2026-11-21T00:00:01.000Z' });
  await census.settle();
  expect(await lettersOf()).toEqual({ ...five, [last]: 'F' });
  const [consensus] = await items('image-consensus', { imageId: IMAGE }, reader);
  expect(JSON.stringify(consensus)).not.toContain('Person');
});

it('2§9 answers keep their address when others answer, and no one has one address on two photographs', async () => {
  const before = await analystsOf(IMAGE);
  const named = async (analysts: readonly Analyst[]) =>
    Promise.all(
      analysts.map(async ({ answerId }) => [
        answerId,
        labelsIn((await items('image-answer', { imageId: IMAGE, answerId }, reader))[0]!).join(),
      ]),
    );
  const answers = await named(before);
  await census.analyse(IMAGE, person(5), labelsOf(5));
  await census.settle();
  expect(await analystsOf(IMAGE)).toHaveLength(5);
  expect(await named(before)).toEqual(answers);
  const others = (await analystsOf(OTHER)).map(({ answerId }) => answerId);
  expect(before.filter(({ answerId }) => others.includes(answerId))).toEqual([]);
});

it('1§3 answers of a private or deleted survey are shown to no one who may not read it', async () => {
  const [first] = await analystsOf(IMAGE);
  const query = { imageId: IMAGE, answerId: first!.answerId };
  await census.change('survey', SURVEY, { private: true });
  expect(await items('image-answer', query, reader)).toEqual([]);
  expect(await items('image-consensus', { imageId: IMAGE }, reader)).toEqual([]);
  expect(await items('image-answer', query, staff)).toHaveLength(1);
  await census.rows(`INSERT INTO grants (topic, subject, seq) VALUES ($1, $2, 1) ON CONFLICT DO NOTHING`, [
    SURVEY,
    `person:${person(9)}`,
  ]);
  expect(await items('image-answer', query, reader)).toHaveLength(1);
  await census.change('survey', SURVEY, { isDeleted: true });
  expect(await items('image-answer', query, staff)).toEqual([]);
});

it('1§4 a deleted analysis is no longer an answer, also before its figure is computed again', async () => {
  const analysts = await analystsOf(IMAGE, staff);
  const gone = analysts[1] as Analyst & { readonly uid: string };
  await census.change('analysis', analysisId(IMAGE, gone.uid), { isDeleted: true });
  expect(await items('image-answer', { imageId: IMAGE, answerId: gone.answerId }, staff)).toEqual([]);
  await census.settle();
  expect((await analystsOf(IMAGE)).map(({ analyst }) => analyst)).toEqual(['A', 'C', 'D']);
});

it('3§3 photographs of a share come page by page; one that is not shown takes no place of another', async () => {
  const query = { featureId: 'gbr-16-071', datasetId: DATASET, class: 'total' };
  const ids = async (more: object): Promise<readonly unknown[]> =>
    (await items('share-photographs', { ...query, ...more }, reader)).map(({ id }) => id);
  const all = await ids({});
  expect(all).toHaveLength(2);
  const [first, last] = all;
  const { next } = JSON.parse(await reads.answer('share-photographs', { ...query, limit: 1 }, reader)) as {
    next: string;
  };
  expect([await ids({ limit: 1 }), await ids({ limit: 1, after: next })]).toEqual([[first], [last]]);
  // Of this one nothing is known.
  await census.database.pool.query(
    `UPDATE photograph_figures SET figure = jsonb_set(figure::jsonb, '{shares}', '{"branching":0,"plating":0,"massive":0,"other":0,"rubble":0,"none":0,"unknown":1}')::text WHERE image_id = $1`,
    [first],
  );
  expect(await ids({ limit: 1 })).toEqual([last]);
});

it('1§7 a page of photographs or surveys ends at 8 MiB, and the next one continues it', async () => {
  const second = await census.addSurvey('Survey0000000002');
  await census.place(second, 'gbr-16-071');
  await census.database.pool.query(
    `UPDATE docs SET shown = left(shown, -1) || ',"further":"' || repeat('x', 5000000) || '"}' WHERE doc_id = ANY($1)`,
    [[IMAGE, OTHER, SURVEY, second]],
  );
  for (const [name, query, ids] of [
    ['share-photographs', { featureId: 'gbr-16-071', datasetId: DATASET, class: 'total' }, [IMAGE, OTHER]],
    ['surveys-of-location', { featureId: 'gbr-16-071' }, [SURVEY, second]],
  ] as const) {
    const found: unknown[] = [];
    let after: string | null = null;
    for (let page = 0; page < ids.length; page++) {
      const answer = await reads.answer(name, { ...query, ...(after === null ? {} : { after }) }, reader);
      const { items: shown, next } = JSON.parse(answer) as { items: JsonObject[]; next: string | null };
      expect(shown, name).toHaveLength(1);
      expect(next === null, `${name}, page ${page}`).toBe(page === ids.length - 1);
      found.push(shown[0]!['id']);
      after = next;
    }
    expect(found.toSorted(), name).toEqual(ids);
  }
});

it('3§9 photographs behind No coral have rubble or nothing alive; one that counts in no cover is behind no share', async () => {
  const ids = async (share: string): Promise<readonly unknown[]> =>
    (await items('share-photographs', { featureId: 'gbr-16-071', datasetId: DATASET, class: share }, reader)).map(
      ({ id, share: part }) => [id, part],
    );
  const setShares = async (imageId: string, known: object): Promise<void> => {
    const shares = { branching: 0, plating: 0, massive: 0, other: 0, rubble: 0, none: 0, unknown: 0, ...known };
    await census.database.pool.query(
      `UPDATE photograph_figures SET figure = jsonb_set(figure::jsonb, '{shares}', $2::jsonb)::text WHERE image_id = $1`,
      [imageId, JSON.stringify(shares)],
    );
  };
  await setShares(IMAGE, { branching: 0.25, rubble: 0.25, unknown: 0.5 });
  await setShares(OTHER, { none: 1 });
  expect(await ids('none')).toEqual([
    [OTHER, 1],
    [IMAGE, 0.5],
  ]);
  expect(await ids('rubble')).toEqual([[IMAGE, 0.5]]);
  await setShares(OTHER, { none: 0.04, unknown: 0.96 });
  expect(await ids('none')).toEqual([[IMAGE, 0.5]]);
});

it.each([
  [
    'share-photographs',
    { featureId: 'gbr-16-071', datasetId: DATASET, class: 'total' },
    ['x~y', 'NaN~y', '1e999~y', '~'],
  ],
  ['surveyed-reefs', { regionId: 'gbr', datasetId: DATASET }, ['99999999999~y', '1.5~y', '-1~y', '~']],
])('1§7 %s refuses a cursor that it did not give', async (name, query, cursors) => {
  for (const after of cursors)
    await expect(reads.answer(name, { ...query, after }, reader), after).rejects.toMatchObject({ code: 'bad-message' });
});
