import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { surveyOp } from '../../conformance/ops';
import type { TestCloud } from '../../support/servers/cloud';
import { DEVICE_TOKEN, STAFF_TOKEN, startCloud } from '../../support/servers/cloud';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startCloud();
});
afterAll(() => cloud.close());

describe('1§7: the reads over HTTP', () => {
  it('1§7: user data is for signed-in callers, census collections for anyone', async () => {
    const sent = surveyOp(1);
    expect((await cloud.ask('POST', '/api/ops', { ops: [sent] }, DEVICE_TOKEN)).status).toBe(200);
    for (const token of [DEVICE_TOKEN, STAFF_TOKEN, cloud.boxToken]) {
      const { status, body } = await cloud.ask('GET', '/api/query/surveys?regionId=gbr', undefined, token);
      expect([status, body]).toEqual([
        200,
        { ok: true, next: null, items: [expect.objectContaining({ ...sent.body, isDeleted: false })] },
      ]);
    }
    expect((await cloud.ask('GET', '/api/query/surveys', undefined, null)).status).toBe(401);
    expect((await cloud.ask('GET', '/api/query/region?regionId=gbr', undefined, null)).body).toEqual({
      ok: true,
      items: [],
      next: null,
    });
    expect(
      (await cloud.ask('GET', '/api/query/features?regionId=gbr&censusYears=0021,2021', undefined, null)).body,
    ).toEqual({ ok: true, items: [], next: null });
    expect((await cloud.ask('GET', '/api/query/user-by-email?email=a@b.c', undefined, DEVICE_TOKEN)).status).toBe(403);
    expect((await cloud.ask('GET', '/api/query/nothing', undefined, DEVICE_TOKEN)).status).toBe(404);
    expect((await cloud.ask('GET', '/api/query/surveys?limit=0', undefined, DEVICE_TOKEN)).body).toMatchObject({
      ok: false,
      error: { code: 'bad-message', field: 'limit' },
    });
  });

  it('1§7: a collection put by staff replaces the old one and goes to boxes', async () => {
    const put = (documents: object[]) => cloud.ask('PUT', '/api/reference/organisations', documents, STAFF_TOKEN);
    const handles = async () =>
      (await cloud.get<{ items: { handle: string }[] }>('/api/query/organisations?prefix=reef', null)).body.items.map(
        ({ handle }) => handle,
      );
    const [one, two] = [
      { id: 'o1', handle: 'reef-one' },
      { id: 'o2', handle: 'reef-two' },
    ];
    expect((await put([one, two])).status).toBe(200);
    expect(await handles()).toEqual(['reef-one', 'reef-two']);
    expect((await put([two])).status).toBe(200);
    expect(await handles()).toEqual(['reef-two']);
    const wrong = await put([{ handle: 'reef-three' }]);
    expect([wrong.status, wrong.body]).toMatchObject([400, { error: { code: 'bad-message' } }]);
    expect([await handles(), (await cloud.get('/api/reference/organisations', null)).body]).toEqual([
      ['reef-two'],
      [two],
    ]);
  });
});
