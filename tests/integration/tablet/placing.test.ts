import sharp from 'sharp';
import { afterEach, expect, test, vi } from 'vitest';
import type { PhotographView } from '../../../src/data/repositories/index';
import type { SurveyId } from '../../../src/domain/ids';
import { startEdge } from '../../support/servers/edge';
import { rmc, startGpsServer } from '../../support/doubles/gps-server';
import { openTestTablet, until } from '../../support/tablet/tablet';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const SLOW_MS = 3 * 3_600_000 + 222_000;

/** Photograph without a position, from a camera with a slow clock. */
async function shot(name: string, trueMs: number, background: string): Promise<File> {
  const said = new Date(trueMs - SLOW_MS).toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ');
  const jpeg = await sharp({ create: { width: 64, height: 48, channels: 3, background } })
    .withExif({ IFD0: { Make: 'OLYMPUS', Model: 'TG-6' }, IFD2: { DateTimeOriginal: said } })
    .jpeg()
    .toBuffer();
  return new File([Uint8Array.from(jpeg)], name, { type: 'image/jpeg' });
}

test('3§3 image: photographs get positions from the vessel’s track, later also without the box', async () => {
  const gps = await startGpsServer();
  ends.push(() => gps.away());
  const box = await startEdge({ env: { GPS_URL: `nmea+tcp://127.0.0.1:${gps.port}` } });
  ends.push(() => box.remove());
  await until(() => gps.connections() === 1, 'the box connects to its receiver');
  gps.say(rmc(-16.86, 146.23, Date.now()));
  const track = async (): Promise<{ fixes: unknown[] }> =>
    (await (
      await fetch(`${box.url}/edge/track`, { headers: { authorization: `Bearer ${box.adminToken}` } })
    ).json()) as { fixes: unknown[] };
  await until(async () => (await track()).fixes.length > 0, 'a fix in the track');

  const one = await openTestTablet();
  ends.push(() => one.close());
  await one.repositories.account.people.createPending({
    name: { first: 'Ana', last: 'Reef' },
    email: 'ana@example.org',
  });
  const id: SurveyId = await one.repositories.census.surveys.add({
    name: 'Dive 1',
    date: '2026-11-20',
    type: 'scuba',
    location: { id: 'r', regionId: 'gbr', name: 'Milln' },
  });
  const live = one.repositories.census.images.ofSurvey(id);
  ends.push(live.subscribe(() => undefined));
  const shown = (): readonly PhotographView[] => live.get().items;
  const now = Date.now();
  for (const file of [await shot('near.jpg', now, '#204060'), await shot('yesterday.jpg', now - 86_400_000, '#206040')])
    await one.repositories.census.images.addPhotograph(file, id);

  // Photograph times need a clock offset: nothing is guessed.
  expect(await one.repositories.census.images.placeFromTrack(id)).toEqual({ placed: 0, without: 2 });
  await one.repositories.census.surveys.setCameraClock(id, { camera: 'OLYMPUS TG-6', offsetMs: SLOW_MS, how: 'qr' });
  // Box never met: its track is unknown.
  expect(await one.repositories.census.images.placeFromTrack(id)).toEqual({
    placed: 0,
    without: 2,
    isTrackUnread: true,
  });

  await one.repositories.edge.link.pair(box.url, box.code);
  await until(() => one.context.connectivity.answeringEdge.get() !== null, 'the box answers');
  expect(await one.repositories.census.images.placeFromTrack(id)).toEqual({ placed: 1, without: 1 });
  await until(() => shown().some(({ position }) => position !== null), 'the position is shown');
  expect(shown()[0]).toMatchObject({
    name: 'near.jpg',
    position: {
      latitude: expect.closeTo(-16.86, 4) as number,
      longitude: expect.closeTo(146.23, 4) as number,
      source: 'vessel',
    },
  });
  expect(shown()[0]?.position?.accuracy).toBeGreaterThan(0);
  expect(Date.parse(shown()[0]?.taken.utc ?? '')).toBe(Math.floor(now / 1000) * 1000);
  expect(shown()[1]?.position).toBeNull();

  await one.repositories.edge.link.setOfflineByChoice(true);
  await one.repositories.census.images.addPhotograph(await shot('later.jpg', now + 2000, '#604020'), id);
  expect(await one.repositories.census.images.placeFromTrack(id)).toEqual({
    placed: 1,
    without: 1,
    isTrackUnread: true,
  });
});
