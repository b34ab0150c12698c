import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromBase64, toBase64 } from '../../base64';
import { decodeGeobuf } from '../../geobuf/decode';
import { encodeGeobuf } from '../../geobuf/encode';
import type { Position, TraceCollection } from '../../geobuf/geojson';
import type { AnalysisId, ImageId, PersonId, SurveyId } from '../../ids';
import { checkJson, type JsonObject } from '../../json';
import { readFreeDraw } from '../free-draw/record';
import type { LabelLogs, LabelSession } from './label-marks';
import type { LabelAuthor, NewLabelRecord } from './label-record';
import { labelRecordBody, readLabelRecord } from './label-record';
import { countedSteps, stepPaint } from './label-stats';
import { labelVersion } from './label-versions';
import type { Labelling } from './labelling';
import { labellingOf } from './labelling';
import type { OutlineSet } from './outline';
import { parseOutlines } from './outline-collection';
import { areaOf } from './outline-geometry';

const round = (value: number): number => Math.round(value * 1e5) / 1e5;
const ring = (x: number, y: number, side: number): readonly Position[] => [
  [x, y],
  [round(x + side), y],
  [round(x + side), round(y + side)],
  [x, round(y + side)],
  [x, y],
];
const SET: OutlineSet = {
  source: 'model',
  model: 'gbr',
  width: 2000,
  height: 1500,
  outlines: [
    {
      id: 'p1',
      rings: [ring(0.1, 0.1, 0.5), ring(0.2, 0.2, 0.1)],
      area: areaOf([ring(0.1, 0.1, 0.5), ring(0.2, 0.2, 0.1)]),
      predicted: { id: 'p1', pixels: 720_000, icon: 'othercoral', label: 'othercoral' },
    },
    {
      id: 'p2',
      rings: [ring(0.65, 0.65, 0.3)],
      area: areaOf([ring(0.65, 0.65, 0.3)]),
      predicted: { id: 'p2', pixels: 270_000, icon: 'sand', label: 'sand' },
    },
  ],
};
const AUTHOR: LabelAuthor = {
  uid: 'Ana0000000000001' as PersonId,
  name: { first: 'Ana', last: 'Cruz' },
  isExpert: false,
  isVerified: true,
  domain: 'reef.example',
  loc: { id: 'place.1', value: 'Cairns', _geoloc: { lat: -16.9, lng: 145.8 } },
};
const SESSIONS: readonly LabelSession[] = [
  { startTime: '2026-11-20T00:00:00.000Z', endTime: '2026-11-20T00:01:00.000Z', timeTaken: 60 },
];
const LOGS: LabelLogs = {
  labels: {
    marks: [
      { kind: 'label', since: 1000, outline: 'p2', label: 'background' },
      { kind: 'label', since: 2000, outline: 'p1', label: 'othercoral' },
    ],
    undone: [],
  },
  hardCoral: { marks: [{ kind: 'answer', since: 1, label: 'mixed_other' }], undone: [] },
  bleached: { marks: [{ kind: 'answer', since: 1, label: 'no' }], undone: [] },
  dominant: { marks: [{ kind: 'answer', since: 1, label: 'massive' }], undone: [] },
  coralLevel: { marks: [{ kind: 'answer', since: 1, label: 'high' }], undone: [] },
  softCoral: { marks: [{ kind: 'answer', since: 1, label: 'yes' }], undone: [] },
};

function record(version: number, more: Partial<NewLabelRecord> = {}): NewLabelRecord {
  const set = more.set ?? SET;
  const logs = more.logs ?? LOGS;
  return {
    id: 'Analysis00000001' as AnalysisId,
    savedAt: '2026-11-20T00:01:00.000Z',
    author: AUTHOR,
    image: { id: 'Image00000000001' as ImageId, path: 'token/image.jpg', user: { name: 'Bo' } },
    survey: { id: 'Survey0000000001' as SurveyId, name: 'Agincourt', regionId: 'gbr' },
    set,
    state: labellingOf(labelVersion(version), set.outlines, logs),
    logs,
    cover: { labels: { othercoral: 0.24, background: 0.09 }, hardCoral: { mixed_other: 0.24, '': 0.09 } },
    sessions: SESSIONS,
    eventTags: ['expedition', 'census'],
    preview: null,
    previous: null,
    ...more,
  };
}
function read(body: JsonObject) {
  checkJson(body, 'body');
  const found = readLabelRecord(JSON.parse(JSON.stringify(body)) as JsonObject);
  if (found.kind !== 'labels') throw new Error(`${found.kind}: ${'reason' in found ? found.reason : ''}`);
  return found;
}
const collection = (body: JsonObject): TraceCollection => decodeGeobuf(fromBase64(body['geobuf_string'] as string)!);
const shown = (state: Labelling): unknown => ({
  labels: Object.fromEntries(state.labels),
  answers: Object.fromEntries(state.answers),
  zap: state.zap,
  isBad: state.isBad,
  outlines: state.outlines,
});
const reopened = (body: JsonObject): Labelling => {
  const { version, set, logs } = read(body);
  return labellingOf(version, set.outlines, logs);
};

describe('2§3 analysis document, step by step', () => {
  test('2§3 a record has every specified member', () => {
    const body = labelRecordBody(record(2.4, { preview: Uint8Array.of(1, 2, 3) }));
    const { geobuf_string: geobuf, ...rest } = body;
    expect(geobuf).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(rest).toEqual({
      id: 'Analysis00000001',
      version: 2.4,
      updated: '2026-11-20T00:01:00.000Z',
      verified: true,
      image: { id: 'Image00000000001', path: 'token/image.jpg', user: { name: 'Bo' } },
      survey: { id: 'Survey0000000001', name: 'Agincourt', regionId: 'gbr' },
      sync: 0,
      stats: {
        coverage: 0.33,
        steps: {
          labels: { coverage: 0.33, categories: { othercoral: 0.24, background: 0.09 } },
          hardCoral: { coverage: 0.24, categories: { mixed_other: 0.24 } },
          bleached: { coverage: 1, categories: { no: 1 } },
        },
        sessions: SESSIONS,
      },
      otherAnswers: {
        hardCoral: 'mixed_other',
        bleached: 'no',
        polygon_labels: [
          { predicted: 'p1', labels: { labels: 'othercoral', hardCoral: 'mixed_other' } },
          { predicted: 'p2', labels: { labels: 'background' } },
        ],
      },
      user: {
        uid: 'Ana0000000000001',
        name: { first: 'Ana', last: 'Cruz' },
        domain: 'reef.example',
        isExpert: false,
        loc: { id: 'place.1', value: 'Cairns', _geoloc: { lat: -16.9, lng: 145.8 } },
      },
      eventTags: ['expedition', 'census'],
      preview: 'AQID',
    });
  });

  test('2§3 the feature collection has the specified properties', () => {
    const { properties, features } = collection(labelRecordBody(record(2.4)));
    expect(properties).toEqual({
      saved: Date.parse('2026-11-20T00:01:00.000Z'),
      image: 'Image00000000001',
      survey: { id: 'Survey0000000001', name: 'Agincourt', regionId: 'gbr' },
      width: 2000,
      height: 1500,
      zaps: [],
      source: 'model',
      model: 'gbr',
    });
    expect(features.map(({ geometry }) => geometry.type)).toEqual(['Polygon', 'LineString']);
    expect(features[0]?.properties).toEqual({
      tool: { id: 'othercoral', label: 'Other coral', path: ['othercoral'], colour: '#ffff31', since: 2000 },
      labels: { labels: 'othercoral', hardCoral: 'mixed_other' },
      zap: false,
      predicted: SET.outlines[0]?.predicted,
    });
  });

  test('2§3 dominateOption, coralCover and softcoral hold their answers', () => {
    expect(labelRecordBody(record(2.1))).toMatchObject({
      version: 2.1,
      dominateOption: 'massive',
      coralCover: 'high',
      otherAnswers: { polygon_labels: [{ predicted: 'p1' }, { predicted: 'p2' }] },
    });
    expect(labelRecordBody(record(2.2))).toMatchObject({ dominateOption: 'massive', softcoral: 'yes' });
    expect(labelRecordBody(record(2.2))).not.toHaveProperty('coralCover');
    // The version of a region that does not exist is the default one.
    expect(labelRecordBody(record(2))).toMatchObject({ version: 2.1 });
  });

  test.each([2.1, 2.2, 2.3, 2.4])('2§3 a record of version %d gives the same labelling again', (version) => {
    const once = record(version);
    const body = labelRecordBody(once);
    expect(shown(reopened(body))).toEqual(shown(once.state));
    const found = read(body);
    expect(found.sessions).toEqual(SESSIONS);
    expect(found.set).toEqual(SET);
    expect(found.unknown.size).toBe(0);
    // The latest label is the first one that Undo takes back.
    expect(found.logs.labels?.marks.at(-1)).toMatchObject({ outline: 'p1' });
    const again = labelRecordBody({ ...once, set: found.set, logs: found.logs, state: reopened(body), previous: body });
    expect(again).toEqual(body);
  });

  test('2§4 a bad image has its flag alone, with and without outlines', () => {
    const bad: LabelLogs = { ...LOGS, labels: { marks: [{ kind: 'bad', since: 5, label: 'badimage' }], undone: [] } };
    for (const set of [SET, { ...SET, outlines: [] }]) {
      const body = labelRecordBody(record(2.4, { logs: bad, set }));
      expect(body).toMatchObject({
        stats: { coverage: 1, steps: { labels: { coverage: 1, categories: { badimage: 1 } } } },
      });
      expect(body['otherAnswers']).not.toHaveProperty('hardCoral');
      expect(reopened(body)).toMatchObject({ isBad: true, canSubmit: true });
    }
  });

  test('2§6 experts have no event tags, and save labelled outlines with their fill', () => {
    const logs: LabelLogs = {
      labels: {
        marks: [
          { kind: 'draw', since: 1, outline: 'mine', points: ring(0, 0, 0.1) },
          { kind: 'label', since: 2, outline: 'mine', label: 'massive_dead' },
          { kind: 'zap', since: 3, label: 'sand' },
        ],
        undone: [],
      },
    };
    const author = { ...AUTHOR, isExpert: true };
    const body = labelRecordBody(record(4, { logs, author, cover: { labels: { massive_dead: 0.01 } } }));
    expect(body).toMatchObject({
      version: 4,
      eventTags: [],
      user: { isExpert: true },
      stats: { coverage: 1, steps: { labels: { coverage: 1, categories: { sand: 0.99, massive_dead: 0.01 } } } },
      otherAnswers: { polygon_labels: [{ predicted: 'mine', labels: { labels: 'massive_dead' } }] },
    });
    const { properties, features } = collection(body);
    expect(properties?.['zaps']).toMatchObject([{ id: 'sand', since: 3 }]);
    expect(features.map((feature) => feature.properties['zap'])).toEqual([false, true]);
    expect(features[0]?.properties['tool']).toMatchObject({
      colour: ['#5d07fe', '#40210d'],
      path: ['massive', 'dead'],
    });
    const state = reopened(body);
    expect([...state.labels]).toEqual([['mine', 'massive_dead']]);
    expect(state.zap).toBe('sand');
    expect(state.outlines[0]?.predicted).toBeNull();
  });

  test('a lean record omits what ids imply and reads the same', () => {
    const [whole, lean] = [labelRecordBody(record(2.4)), labelRecordBody(record(2.4), { isLean: true })];
    expect(String(lean['geobuf_string']).length).toBeLessThan(String(whole['geobuf_string']).length);
    expect(shown(reopened(lean))).toEqual(shown(reopened(whole)));
  });

  test('members and answers of other makers survive an edit', () => {
    const previous = {
      ...labelRecordBody(record(2.1)),
      theirs: { a: 1 },
      otherAnswers: { theirs: 'x', hardCoral: 'y' },
    };
    const body = labelRecordBody(record(2.4, { previous }));
    expect(body).toMatchObject({ theirs: { a: 1 }, otherAnswers: { theirs: 'x', hardCoral: 'mixed_other' } });
    expect(body).not.toHaveProperty('dominateOption');
  });

  test('the raster counts labels, and each question on the outlines that it covers', () => {
    const { state } = record(2.4);
    expect(countedSteps(state)).toEqual(['labels', 'hardCoral']);
    expect([...stepPaint(state, 'labels')]).toEqual([...state.labels]);
    expect([...stepPaint(state, 'hardCoral')]).toEqual([
      ['p1', 'mixed_other'],
      ['p2', ''],
    ]);
  });
});

describe('2§3 records that are not what they claim', () => {
  const good = labelRecordBody(record(2.4));

  test.each([
    ['a tracing', { version: 3, geobuf: 'AAAA' }, 'other'],
    ['no version', {}, 'other'],
    ['an older version', { ...good, version: 2 }, 'other-version'],
    ['a newer version', { ...good, version: 6 }, 'other-version'],
    ['no outlines', { ...good, geobuf_string: null }, 'broken'],
    ['no base64', { ...good, geobuf_string: '%' }, 'broken'],
    ['no geobuf', { ...good, geobuf_string: toBase64(Uint8Array.of(1, 2, 3, 4)) }, 'broken'],
    ['half a geobuf', { ...good, geobuf_string: String(good['geobuf_string']).slice(0, 400) }, 'broken'],
  ] as const)('a record with %s is told apart', (_, body, kind) => {
    expect(readLabelRecord(body as JsonObject).kind).toBe(kind);
  });

  test('a version as text is read, and tracing leaves it alone', () => {
    expect(read({ ...good, version: '2.4' }).version.version).toBe(2.4);
    expect(readFreeDraw(good).kind).toBe('other');
  });

  test('labels and answers of another set are counted and never guessed', () => {
    const found = read({ ...good, otherAnswers: { hardCoral: 'stony', bleached: 'yes' } });
    expect([...found.unknown]).toEqual([['stony', 1]]);
    expect(found.logs.bleached?.marks).toHaveLength(1);
    const expert = read({ ...good, version: 4 });
    expect([...expert.unknown]).toEqual([]);
    expect(read({ ...good, version: 3.2 }).unknown.size).toBe(0);
    const hawaii = labelRecordBody(
      record(2.4, {
        logs: { labels: { marks: [{ kind: 'label', since: 1, outline: 'p1', label: 'branching' }], undone: [] } },
      }),
    );
    expect([...read({ ...hawaii, version: 3.2 }).unknown]).toEqual([['branching', 1]]);
  });

  test('corrupt bytes yield a labelling or a reason, and never a throw', () => {
    const bytes = fromBase64(good['geobuf_string'] as string)!;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (faults) => {
          const broken = Uint8Array.from(bytes);
          for (const [place, value] of faults) broken[place] = value;
          const found = readLabelRecord({ ...good, geobuf_string: toBase64(broken) });
          if (found.kind !== 'labels') return;
          const state = labellingOf(found.version, found.set.outlines, found.logs);
          labelRecordBody({ ...record(2.4), set: found.set, logs: found.logs, state });
        },
      ),
      { numRuns: 300 },
    );
  });

  test('any members are read without a throw', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(good)), fc.jsonValue()), (members) => {
        readLabelRecord({ ...good, ...(members as JsonObject) });
        readLabelRecord(members as JsonObject);
      }),
    );
  });

  test('outlines of a hostile size, shape and place round-trip', () => {
    const place = fc.double({ min: -2, max: 3, noNaN: true });
    const line = fc.array(fc.tuple(place, place), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 6 }), (shapes) => {
        const parsed = parseOutlines({
          type: 'FeatureCollection',
          properties: { source: 'segmentation', model: 'segmentation-1', width: 10, height: 10 },
          features: shapes.map((rings) => ({
            type: 'Feature',
            geometry: { type: 'Polygon', coordinates: rings },
            properties: {},
          })),
        });
        if (parsed.kind !== 'outlines') throw new Error(parsed.reason);
        const { set } = parsed;
        const logs: LabelLogs = {
          labels: {
            marks: set.outlines.map(({ id }, since) => ({ kind: 'label', since, outline: id, label: 'plating' })),
            undone: [],
          },
        };
        const once = record(3.2, { set, logs: {} });
        expect(shown(reopened(labelRecordBody(once)))).toEqual(shown(once.state));
        const body = labelRecordBody(record(2.4, { set, logs }));
        expect(read(body).set).toEqual(set);
      }),
    );
  });

  test('an outline of 10,000 points round-trips within a message', () => {
    const curve = Array.from({ length: 10_000 }, (_, i): Position => {
      const turn = (i / 10_000) * 2 * Math.PI;
      return [0.5 + 0.4 * Math.cos(turn), 0.5 + 0.4 * Math.sin(turn * 3)];
    });
    const parsed = parseOutlines({
      type: 'FeatureCollection',
      properties: { source: 'model', model: 'gbr', width: 2000, height: 1500 },
      features: [{ type: 'Feature', geometry: { type: 'LineString', coordinates: curve }, properties: {} }],
    });
    if (parsed.kind !== 'outlines') throw new Error(parsed.reason);
    const body = labelRecordBody(record(2.4, { set: parsed.set, logs: {} }));
    expect(JSON.stringify(body).length).toBeLessThan(100_000);
    expect(read(body).set).toEqual(parsed.set);
  });

  test('a collection that is no geobuf of outlines is a reason', () => {
    const empty = toBase64(encodeGeobuf({ type: 'FeatureCollection', features: [], properties: {} }));
    expect(readLabelRecord({ ...good, geobuf_string: empty })).toEqual({
      kind: 'broken',
      reason: 'they have no picture size',
    });
  });
});
