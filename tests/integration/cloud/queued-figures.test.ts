import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { wantRefresh } from '../../../cloud-sync/api/region-data/region-refresh';
import type { PersonId, SurveyId } from '../../../src/domain/ids';
import { newSurvey } from '../../../src/domain/survey/survey';
import { startCloud, type TestCloud } from '../../support/servers/cloud';
import { makeOp, newId, sha256 } from '../../support/servers/edge-client';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const FEATURE = 'gbr-16-071';
const POSITION = { latitude: -16.87, longitude: 146.21 };

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startCloud();
});
afterAll(() => cloud?.close());

const count = async (text: string): Promise<number> =>
  (await cloud.cloud.context.database.pool.query(text)).rowCount ?? 0;
const queued = (): Promise<number> => count('SELECT FROM figures_changed');

/** Sends a survey with one photograph, and waits until its outlines are made and no figure waits. */
async function sendSurvey(): Promise<void> {
  const [uid, id] = [newId(), newId() as SurveyId];
  const body = newSurvey({
    id,
    uid: uid as PersonId,
    name: 'North wall',
    date: '2025-11-20',
    timeIn: '10:40',
    type: 'scuba',
    location: { id: FEATURE, regionId: 'gbr', gid: '16-071', name: 'Moore Reef', position: POSITION },
    duration: 42,
    camera: 'TG-6',
    experience: {},
    madeAt: '2025-11-20T02:00:00.000Z',
  });
  const content = await sharp({ create: { width: 300, height: 225, channels: 3, background: '#2478a0' } })
    .jpeg()
    .toBuffer();
  await cloud.upload(content);
  const image = {
    id: newId(),
    survey: { id, name: 'North wall', regionId: 'gbr' },
    user: { uid },
    path: 'reef.jpg',
    sha256: sha256(content),
    bytes: content.length,
    type: 'image/jpeg',
    width: 300,
    height: 225,
  };
  await cloud.ops([makeOp('survey', body, { by: uid as never }), makeOp('image', image)], 'Box0000000000001');
}

it('2§1 outlines that are stored later leave no figure in the queue', async () => {
  await sendSurvey();
  await expect.poll(() => count('SELECT FROM outlines'), { timeout: 200_000 }).toBeGreaterThan(0);
  await expect.poll(queued, { timeout: 60_000 }).toBe(0);
  expect(await count('SELECT FROM offered_photographs')).toBe(1);
});

it('3§7 a map that is imported after its surveys gets their results without a further change', async () => {
  const { pool } = cloud.cloud.context.database;
  expect(await count('SELECT FROM reef_results')).toBe(0);
  await pool.query(
    `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, imported)
     VALUES ('gbr', $1, 0, '16-071', 'Moore Reef', 'Reef', 146.21, -16.87, '{146.2,-16.9,146.3,-16.8}', '{}')`,
    [FEATURE],
  );
  await wantRefresh(pool, 'gbr');
  await pool.query(`SELECT graphile_worker.add_job('survey-places', '{}'::json, job_key := 'survey-places')`);
  await expect.poll(() => count('SELECT FROM reef_results'), { timeout: 60_000 }).toBe(1);
  await expect.poll(queued, { timeout: 60_000 }).toBe(0);
});
