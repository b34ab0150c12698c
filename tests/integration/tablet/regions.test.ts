import { expect, test } from 'vitest';
import type { Region } from '../../../src/domain/region/region';
import { REGION_IDS } from '../../../src/domain/region/region-id';
import { REGION_LIST } from '../../../src/domain/region/regions';
import { startCloud, STAFF_TOKEN } from '../../support/servers/cloud';
import type { TestEdge } from '../../support/servers/edge';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { closers } from '../../support/tablet/closers';
import { edge, tablet, type RealTablet } from '../../support/tablet/real-scene';
import { until } from '../../support/tablet/tablet';

async function putAboard(box: TestEdge, documents: readonly object[]): Promise<void> {
  const answer = await fetch(`${box.url}/edge/reference/regions`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${box.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(documents),
  });
  expect(answer.status).toBe(200);
}

/** Regions once `enough` holds for Palmyra, bundled as closed and inactive. */
async function regions(
  { repositories: { census, edge: aboard } }: RealTablet,
  enough: (palmyra: Region) => boolean,
): Promise<readonly Region[]> {
  const stops = [census.regions.all, census.surveys.all, aboard.link.state].map((one) =>
    one.subscribe(() => undefined),
  );
  try {
    return await until(() => {
      const { items } = census.regions.all.get();
      const palmyra = items.find(({ regionId }) => regionId === 'palmyra');
      return palmyra !== undefined && enough(palmyra) ? items : undefined;
    }, 'the regions');
  } finally {
    stops.forEach((stop) => stop());
  }
}

const others = (found: readonly Region[]): readonly Region[] => found.filter(({ regionId }) => regionId !== 'palmyra');

test('1§3, 1§6 regions that staff changed reach a tablet by its box, and stay without it', async () => {
  const box = await edge();
  await putAboard(box, [{ id: 'palmyra', isSurveyOpen: true, isActive: true, mapBounds: 'wrong' }]);
  const one = await tablet();
  expect(await regions(one, () => true), 'before any server').toEqual(REGION_LIST);
  const { isActive } = one.repositories.census.regions;
  const active = () => Promise.all(REGION_IDS.map(async (id) => ((await isActive(id)) ? [id] : [])));
  expect((await active()).flat()).toEqual(['gbr', 'hawaii']);
  await one.repositories.edge.link.pair(box.url, box.code);
  const found = await regions(one, ({ isSurveyOpen }) => isSurveyOpen);
  const bundled = REGION_LIST.find(({ regionId }) => regionId === 'palmyra');
  expect(found.find(({ regionId }) => regionId === 'palmyra')).toEqual({
    ...bundled,
    isSurveyOpen: true,
    isActive: true,
  });
  expect(others(found)).toEqual(others(REGION_LIST));
  expect((await active()).flat()).toEqual(['gbr', 'palmyra', 'hawaii']);
  await one.close();
  await box.stop();
  const again = await tablet({ origin: one.origin, database: one.database });
  expect(await regions(again, ({ isSurveyOpen }) => isSurveyOpen), 'with no box').toEqual(found);
});

test('1§3, 1§6 regions that staff changed reach a tablet ashore; those of its box have precedence', async () => {
  const shore = await startCloud();
  closers.push(() => shore.close());
  const put = (documents: readonly object[]) => shore.ask('PUT', '/api/reference/regions', documents, STAFF_TOKEN);
  expect((await put([{ id: 'palmyra', isSurveyOpen: true, regionName: 'Ashore', reportingYear: 2031 }])).status).toBe(
    200,
  );
  const one = await tablet();
  const { signIn } = one.repositories.account;
  await signIn.pinCloud(shore.url);
  await signIn.sendCode('ana@example.org');
  await signIn.withCode('ana@example.org', codeIn(outboxMails(shore.outbox), 'ana@example.org'));
  const found = await regions(one, ({ isSurveyOpen }) => isSurveyOpen);
  expect(found.find(({ regionId }) => regionId === 'palmyra')).toMatchObject({
    regionName: 'Ashore',
    reportingYear: 2031,
  });
  const box = await edge();
  await putAboard(box, [{ id: 'palmyra', regionName: 'Aboard' }]);
  await one.repositories.edge.link.pair(box.url, box.code);
  const both = await regions(one, ({ regionName }) => regionName === 'Aboard');
  expect(both.find(({ regionId }) => regionId === 'palmyra')).toMatchObject({
    isSurveyOpen: true,
    reportingYear: 2031,
  });
});

test('1§3 the shore refuses changes of regions that no tablet could use, and says why', async () => {
  const shore = await startCloud();
  closers.push(() => shore.close());
  const put = (documents: unknown) =>
    shore.ask<{ error?: { field?: string; message: string } }>('PUT', '/api/reference/regions', documents, STAFF_TOKEN);
  const good = [{ id: 'gbr', mapBounds: [141, -25, 154, -10], later: 1 }];
  expect((await put(good)).status).toBe(200);
  for (const [documents, text] of [
    [
      [{ id: 'gbr', mapBounds: [141, -90, 154, -10] }],
      '0.mapBounds.1: A latitude must be at least -85, where charts end.',
    ],
    [[{ id: 'gbr', mapBounds: [141, -25, 181, -10] }], '0.mapBounds.2: A longitude must be at most 180.'],
    [
      [{ id: 'gbr', mapBounds: [178, -25, -178, -10] }],
      '0.mapBounds: West must be less than east; bounds cannot cross the 180th meridian.',
    ],
    [[{ id: 'gbr', mapBounds: [141, -10, 154, -25] }], '0.mapBounds: South must be less than north.'],
    [[{ id: 'gbr', mapBounds: [141, -25, 141, -10] }], '0.mapBounds: West and east must be at least 0.01° apart.'],
    [
      [{ id: 'gbr', mapBounds: [141, -25, 154] }],
      '0.mapBounds: Bounds must be four numbers: west, south, east, north.',
    ],
    [[{ id: 'gbr', mapBounds: [141, '-25', 154, -10] }], '0.mapBounds.1: A latitude must be a number of degrees.'],
    [[...good, { id: 'hawai', isActive: false }], '1.id: There is no region hawai.'],
    [[...good, { id: 'x', regionId: 'gbr', isActive: false }], '1.id: The region gbr must be listed once.'],
  ] as const) {
    const { status, body } = await put(documents);
    expect([status, body.error?.message]).toEqual([400, text]);
  }
  for (const wrong of [{ id: 'gbr' }, [{ id: 'gbr', isActive: 'no' }]]) expect((await put(wrong)).status).toBe(400);
  expect((await shore.ask('GET', '/api/reference/regions', undefined, null)).body, 'unchanged').toEqual(good);
});

test('1§3 a tablet that is connected hears of changed regions, whatever screen it shows', async () => {
  const box = await edge();
  await putAboard(box, [{ id: 'hawaii', isActive: false, mapBounds: [-161, 18, -154, 23] }]);
  const one = await tablet();
  const stop = one.repositories.census.surveys.all.subscribe(() => undefined);
  await one.repositories.edge.link.pair(box.url, box.code);
  await expect.poll(() => one.repositories.census.regions.isActive('hawaii'), { timeout: 20_000 }).toBe(false);
  stop();
});
