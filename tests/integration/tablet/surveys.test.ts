import { afterEach, expect, test } from 'vitest';
import { addSurvey, closeTablets, scene } from '../../support/tablet/tablet-scene';
import { until } from '../../support/tablet/tablet';
import type { LiveQuery } from '../../../src/data/repositories/live';

afterEach(closeTablets);

/** Items of a live query once they satisfy the condition. */
async function items<Item>(
  query: LiveQuery<Item>,
  enough: (found: readonly Item[]) => boolean,
): Promise<readonly Item[]> {
  const stop = query.subscribe(() => undefined);
  try {
    return await until(() => {
      const read = query.get();
      return read.status === 'ready' && enough(read.items) ? read.items : undefined;
    }, 'the items');
  } finally {
    stop();
  }
}

test('protocol: fold — concurrent edits by one tablet are ordered and never conflict', async () => {
  const { tablet } = await scene();
  const {
    census: { surveys },
  } = tablet.repositories;
  const id = await addSurvey(tablet);
  await Promise.all([
    surveys.edit(id, { camera: 'TG-5' }),
    surveys.edit(id, { camera: 'TG-6' }),
    surveys.edit(id, (doc) => ({ camera: `${String(doc['camera'])}, two strobes` })),
  ]);
  const [survey] = await items(surveys.one(id), ([first]) => first?.doc['camera'] === 'TG-6, two strobes');
  expect(survey?.conflicts).toBe(0);
  const before = await tablet.context.store.db.ops.count();
  await surveys.edit(id, { camera: 'TG-6, two strobes' });
  expect(await tablet.context.store.db.ops.count(), 'an edit without a change writes nothing').toBe(before);
});

test('1§4 a deleted survey is listed as deleted and is restored whole', async () => {
  const { tablet } = await scene();
  const {
    census: { surveys },
  } = tablet.repositories;
  const [id, other] = [await addSurvey(tablet, 'Dive 1'), await addSurvey(tablet, 'Dive 2')];
  await surveys.remove(id);
  expect((await items(surveys.removed, (found) => found.length === 1)).map(({ name }) => name)).toEqual(['Dive 1']);
  expect((await items(surveys.all, (found) => found.length === 1)).map((survey) => survey.id)).toEqual([other]);
  await surveys.restore(id);
  await surveys.restore(id);
  expect((await items(surveys.all, (found) => found.length === 2)).map(({ name }) => name).sort()).toEqual([
    'Dive 1',
    'Dive 2',
  ]);
  expect(await items(surveys.removed, (found) => found.length === 0)).toEqual([]);
});
