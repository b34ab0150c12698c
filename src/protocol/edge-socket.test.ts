import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { EDGE_STATS } from '../domain/edge-stats';
import { LIMITS } from '../domain/limits';
import { changesParamsSchema } from './changes';
import type { EdgeEvent, EdgeGps, EdgeLocation, EdgeMeta, EdgeSender, EdgeSurvey, EdgeTrack } from './edge-socket';
import { EDGE_MESSAGES } from './edge-socket';

const verify = {
  protocol: { min: 1, max: 1 },
  app: { version: '1.0' },
  device: { id: 'DeviceAAAAAAAAAA', name: 'Tablet 1' },
};
const path = {
  surveyId: 'Survey0000000001',
  imageId: 'Image00000000001',
  path: 'a.jpg',
  bytes: 1,
  sha256: 'a'.repeat(64),
  type: 'image/jpeg',
};
const takes = (event: EdgeEvent, message: unknown) => EDGE_MESSAGES[event].safeParse(message).success;

describe('protocol: edge socket messages', () => {
  it('1§7 the edge websocket answers meta, gps and surveys, and accepts every send', () => {
    expect(Object.keys(EDGE_MESSAGES)).toEqual([
      'verify',
      'profile',
      'survey',
      'image:path',
      'image:binary',
      'image:record',
      'analysis',
      'query',
      'unsubscribe',
      'owing',
    ]);
    for (const name of ['meta', 'gps', 'surveys', 'track', 'senders']) expect(takes('query', { name })).toBe(true);
  });

  it('protocol: verify is read in its smallest and fullest form, ignoring unknown members', () => {
    expect(takes('verify', verify)).toBe(true);
    expect(takes('verify', { ...verify, code: 'ABCD2345', token: 't', session: 's', later: {} })).toBe(true);
  });

  it.each([
    ['verify', 'no device', { ...verify, device: undefined }],
    ['verify', 'a device without a name', { ...verify, device: { id: 'DeviceAAAAAAAAAA', name: '' } }],
    ['verify', 'half a character', { ...verify, device: { id: 'DeviceAAAAAAAAAA', name: 'x\ud800' } }],
    ['verify', 'a version as a text', { ...verify, protocol: '1' }],
    ['image:path', 'an empty file', { ...path, bytes: 0 }],
    ['image:path', 'a fractional size', { ...path, bytes: 1.5 }],
    ['image:path', 'an invalid hash', { ...path, sha256: 'x' }],
    ['image:path', 'a survey of a path', { ...path, surveyId: '../x' }],
    ['image:binary', 'a negative offset', { uploadId: 'a'.repeat(16), offset: -1 }],
    ['image:binary', 'an upload of a path', { uploadId: '../../x/../../y', offset: 0 }],
    ['query', 'an unknown name', { name: 'passwords' }],
    ['unsubscribe', 'no name', {}],
    ['owing', 'a count below nought', { records: -1, photographs: 0, bytes: 0 }],
    ['owing', 'half a photograph', { records: 0, photographs: 0.5, bytes: 0 }],
    ['owing', 'a survey of a path', { records: 0, photographs: 0, bytes: 0, survey: '../x' }],
  ] as const)('protocol: %s refuses %s', (event, _name, message) => {
    expect(takes(event, message)).toBe(false);
  });

  it('protocol: the change feed starts at 0 and has at most 1000 entries a page', () => {
    expect(changesParamsSchema.parse({})).toEqual({ since: 0, limit: LIMITS.changesMax });
    expect(changesParamsSchema.parse({ since: '7', limit: '10' })).toEqual({ since: 7, limit: 10 });
    for (const wrong of [{ since: -1 }, { limit: 0 }, { limit: 1001 }, { since: 'x' }])
      expect(changesParamsSchema.safeParse(wrong).success).toBe(false);
  });
});

/** Facts as a tablet reads them. */
type Read<Name extends keyof typeof EDGE_STATS> = z.infer<(typeof EDGE_STATS)[Name]>;

describe('1§3 edge stats: meta totals, gps, surveys, locations', () => {
  it('1§3 the reading schemas match the messages of the box', () => {
    expectTypeOf<Read<'meta'>>().toExtend<EdgeMeta>();
    expectTypeOf<Read<'gps'>>().toExtend<EdgeGps | null>();
    expectTypeOf<Read<'surveys'>[number]>().toExtend<EdgeSurvey>();
    expectTypeOf<Read<'locations'>[number]>().toExtend<EdgeLocation>();
    expectTypeOf<Read<'track'>>().toExtend<EdgeTrack>();
    expectTypeOf<Read<'senders'>[number]>().toExtend<EdgeSender>();
    const gps: EdgeGps = {
      lat: -16.86,
      lng: 146.23,
      time: '2026-11-20T00:00:00.000Z',
      age: 900,
      speed: 5.1,
      satellites: 11,
      source: 'nmea',
    };
    const meta: EdgeMeta = {
      totals: { surveys: 1, images: 2, bytes: 3, analyses: 0, people: 1 },
      owed: 4,
      owedBytes: 3,
      disk: { free: 5, size: 6, daysUntilFull: 21 },
      time: '2026-11-20T00:00:00.000Z',
      version: '0.1.0',
      name: 'Reef Box',
      gps: 'fix',
    };
    const survey: EdgeSurvey = {
      id: 'Survey0000000001',
      name: 'Moore Reef',
      date: '2026-11-20',
      loc: null,
      user: null,
      images: { total: 2, here: 1, ashore: 0 },
    };
    const location: EdgeLocation = { id: '16-071', name: 'Moore Reef', lat: null, lng: null, surveys: 1, images: 2 };
    expect(EDGE_STATS.gps.parse(gps)).toEqual(gps);
    expect(EDGE_STATS.gps.parse(null)).toBeNull();
    expect(EDGE_STATS.meta.parse({ ...meta, uptime: 3 })).toEqual({ ...meta, uptime: 3 });
    expect(EDGE_STATS.surveys.parse([survey])).toEqual([survey]);
    expect(EDGE_STATS.locations.parse([location])).toEqual([location]);
    const track: EdgeTrack = { fixes: [{ time: '2026-11-20T00:00:00.000Z', lat: -16.86, lng: 146.23 }] };
    const sender: EdgeSender = {
      deviceId: 'DeviceAAAAAAAAAA',
      name: 'Tablet 1',
      person: null,
      connected: true,
      seenAt: '2026-11-20T00:00:00.000Z',
      owed: { records: 1, photographs: 2, bytes: 3 },
      survey: { id: 'Survey0000000001', name: 'Moore Reef' },
      rate: 1.5,
    };
    expect(EDGE_STATS.track.parse(track)).toEqual(track);
    expect(EDGE_STATS.senders.parse([sender])).toEqual([sender]);
  });

  it.each([
    { lat: 91, lng: 0 },
    { lat: 0, lng: 181 },
    { lat: null, lng: 0 },
  ])('1§3 an impossible position is refused: %j', (place) => {
    expect(EDGE_STATS.gps.safeParse({ ...place, time: 't', age: 0, source: 's' }).success).toBe(false);
  });
});
