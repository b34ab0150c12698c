import { describe, expect, test } from 'vitest';
import type { EdgeMeta, EdgeSender, EdgeSurvey } from '../../data/repositories';
import {
  formatDays,
  diskFacts,
  fixText,
  boxSubtitle,
  isSending,
  owedToShore,
  senderText,
  formatSince,
} from './vessel-text';

const GB = 1e9;
const meta: EdgeMeta = {
  totals: { surveys: 6, images: 2100, bytes: 14 * GB, analyses: 0, people: 3 },
  owed: 2010,
  disk: { free: 138 * GB, size: 480 * GB, daysUntilFull: 9.7 },
  time: '2026-11-21T03:00:00.000Z',
  version: '1',
};
const survey = (here: number, ashore: number): EdgeSurvey => ({
  id: `s${here}${ashore}`,
  name: 'Moore',
  date: '2026-11-20',
  loc: null,
  user: null,
  images: { total: here, here, ashore },
});
const sender: EdgeSender = {
  deviceId: 'd',
  name: 'Tablet 1',
  person: 'Deckhand',
  connected: true,
  seenAt: '2026-11-21T02:59:58.000Z',
  owed: { records: 200, photographs: 158, bytes: 1.1 * GB },
  survey: { id: 's', name: 'Moore Reef 16-071' },
  rate: 3.1e6,
};

describe('1§3 Edge stats as text', () => {
  test('the box text shows who sends, what is stored and what is owed to the shore', () => {
    const surveys = [survey(1000, 0), survey(1000, 34), survey(100, 100)];
    expect(owedToShore(meta, surveys)).toEqual({ photographs: 1966, surveys: 2, records: 2010, bytes: null });
    expect(owedToShore({ ...meta, owedBytes: 13.8 * GB }, surveys).bytes).toBe(13.8 * GB);
    expect(
      boxSubtitle(meta, surveys, [
        sender,
        { ...sender, deviceId: 'e' },
        { ...sender, deviceId: 'f', connected: false },
      ]),
    ).toBe('Two tablets are sending. It has 6 surveys, and 1,966 photographs to send to the shore.');
    expect(boxSubtitle({ ...meta, owed: 0 }, [], [])).toBe(
      'No tablets are sending. It has 6 surveys, and nothing to send to the shore.',
    );
    expect(isSending({ ...sender, rate: null, owed: null })).toBe(false);
    // The last item arrived a moment ago: there is still a rate, and nothing left.
    expect(isSending({ ...sender, owed: { records: 0, photographs: 0, bytes: 0 } })).toBe(false);
  });

  test('the disk text shows the days left if known, and warns early', () => {
    expect(diskFacts(meta.disk)).toEqual({
      used: 342 / 480,
      days: 9.7,
      isLow: false,
      text: '342 GB of 480 GB used. At 14 GB a day.',
    });
    expect(diskFacts({ free: 20 * GB, size: 480 * GB })).toMatchObject({
      days: null,
      isLow: true,
      text: '460 GB of 480 GB used.',
    });
    expect(diskFacts({ free: 200 * GB, size: 480 * GB, daysUntilFull: 2.5 }).isLow).toBe(true);
    expect(diskFacts({ free: 0, size: 0 }).used).toBe(0);
    expect([0.4, 1.2, 9.7, 4000].map(formatDays)).toEqual([
      { figure: '<1', unit: 'day' },
      { figure: '1', unit: 'day' },
      { figure: '9', unit: 'days' },
      { figure: '365+', unit: 'days' },
    ]);
  });

  test('a fix shows its age, and an old one is the last fix', () => {
    const gps = {
      lat: -16.865,
      lng: 146.2233,
      time: '2026-11-21T03:00:00Z',
      age: 6000,
      speed: 6.24,
      heading: 34,
      satellites: 11,
      source: 'gpsd',
    };
    expect(fixText(gps, 6000)).toEqual({
      position: '16° 51.9′ S 146° 13.4′ E',
      fix: 'fix 6 s old, GPS aboard, 11 satellites',
      course: 'heading 034°, 6.2 knots',
      stale: false,
    });
    expect(fixText({ ...gps, satellites: undefined as never }, 7_200_000)).toMatchObject({
      fix: 'last fix 2 h old, GPS aboard',
      stale: true,
    });
    expect(fixText({ ...gps, lat: 120 }, 0)).toBeNull();
  });

  test('a tablet is sending, in step or last seen', () => {
    const now = Date.parse('2026-11-21T03:00:00.000Z');
    expect(senderText(sender, now)).toEqual({
      title: 'Tablet 1, Deckhand',
      detail: 'Moore Reef 16-071',
      remaining: '158',
      rate: '3.1 MB a second, about 6 min',
    });
    expect(
      senderText(
        { ...sender, person: null, rate: null, owed: { records: 0, photographs: 0, bytes: 0 }, survey: null },
        now,
      ),
    ).toEqual({ title: 'Tablet 1', detail: 'nothing to send', remaining: 'all here', rate: 'up to date with the box' });
    expect(
      senderText({ ...sender, rate: null, owed: { records: 2, photographs: 0, bytes: 0 }, survey: null }, now),
    ).toMatchObject({ detail: 'about to send', remaining: '2 records', rate: 'waiting' });
    expect(
      senderText({ ...sender, connected: false, owed: { records: 24, photographs: 24, bytes: 1 } }, now),
    ).toMatchObject({ remaining: '24', rate: 'counted when last seen' });
    expect(senderText({ ...sender, connected: false, owed: null }, now + 600_000).detail).toMatch(
      /^not seen since \d\d:\d\d$/,
    );
  });

  test('a start time shows as seconds, then time, then day', () => {
    const now = new Date(2026, 10, 21, 13, 0, 0).getTime();
    expect([
      formatSince(now - 12_000, now),
      formatSince(now - 3_600_000, now),
      formatSince(now - 86_400_000, now),
    ]).toEqual(['12 s ago', 'at 12:00', 'on 20 November at 13:00']);
  });
});
