import { describe, expect, test } from 'vitest';
import {
  ANALYSED,
  formBody,
  labelBody,
  REEF_AND_SAND,
  outlineSet,
  predictedOutline,
  rectangle,
  tracingBody,
} from '../../../tests/support/analyses';
import { categoryClass } from '../analysis/free-draw/categories';
import type { FreeDrawMark } from '../analysis/free-draw/marks';
import type { Position } from '../geobuf/geojson';
import type { JsonObject } from '../json';
import type { Ballot } from './ballot';
import { modelBallot, readBallot } from './read-ballot';

const read = (body: JsonObject, picture: typeof ANALYSED | null = ANALYSED): Ballot => {
  const ballot = readBallot(JSON.parse(JSON.stringify(body)) as JsonObject, picture);
  if (ballot.kind !== 'ballot') throw new Error(ballot.reason);
  return ballot;
};
const reason = (body: JsonObject, picture = ANALYSED): string => {
  const ballot = readBallot(body, picture);
  return ballot.kind === 'ballot' ? `read: ${JSON.stringify(ballot.answer)}` : ballot.reason;
};
const covers = ({ answer }: Ballot) =>
  answer.kind === 'outlines' ? Object.fromEntries(answer.outlines.map(({ id, cover }) => [id, cover])) : answer.kind;
const stroke = (id: string, mod?: string): FreeDrawMark => ({
  kind: 'stroke',
  since: 1,
  paints: categoryClass(id, mod)!,
  points: [
    [0.1, 0.1],
    [0.9, 0.9],
  ],
});

describe('2§4 ballots of every version', () => {
  test.each([2.1, 2.2, 2.3, 2.4])('2§4 version %s reads labels with their outlines', (version) => {
    const ballot = read(labelBody(version, 'Ana0000000000001', REEF_AND_SAND, { p1: 'branching', p2: 'background' }));
    expect(covers(ballot)).toEqual({ p1: 'branching', p2: 'none' });
    expect(ballot).toMatchObject({
      analyst: 'Ana0000000000001',
      isExpert: false,
      version,
      size: ANALYSED,
      ignored: [],
    });
    expect(ballot.answer).toMatchObject({ outlines: [{ rings: [{}, {}] }, {}], fill: null });
  });

  test.each([3.1, 3.2])('2§4 version %s reads the corals of Hawaii by growth form', (version) => {
    const ballot = read(labelBody(version, 'Ana0000000000001', REEF_AND_SAND, { p1: 'lobe', p2: 'cauliflower' }));
    expect(covers(ballot)).toEqual({ p1: 'massive', p2: 'branching' });
  });

  test.each([4, 5])('2§4 version %s reads an outline that an expert drew, and the fill', (version) => {
    const ballot = read(
      labelBody(version, 'Exp0000000000001', REEF_AND_SAND, { p1: 'bleached', drawn: 'structure' }, [
        { kind: 'draw', since: 1, outline: 'drawn', points: rectangle(0.7, 0.1, 0.9, 0.3) },
        { kind: 'zap', since: 5000, label: 'sand' },
      ]),
    );
    expect(covers(ballot)).toEqual({ p1: 'other', drawn: 'none' });
    expect(ballot.isExpert).toBe(true);
    expect(ballot.answer).toMatchObject({ fill: 'none' });
  });

  test.each([1, 3] as const)('2§4 version %s reads marks painted by hand', (version) => {
    const ballot = read(tracingBody(version, 'Ana0000000000001', [stroke('reef_hardcoral_plating', 'dead')]));
    expect(ballot.answer).toMatchObject({ kind: 'marks', penShare: 0.0125, marks: [{ kind: 'stroke' }] });
    expect(ballot).toMatchObject({ version, size: ANALYSED });
  });

  test('2§2 typed percentages are shares: the rest is unknown, more than 100 is scaled to 100', () => {
    const part = read(formBody('Exp0000000000001', { 'branching-live': 30, 'branching-dead': 10, 'sand-live': 20 }));
    expect(part.answer).toMatchObject({ kind: 'shares', shares: { branching: 0.3, none: 0.1 + 0.2 } });
    expect((part.answer as { shares: { unknown: number } }).shares.unknown).toBeCloseTo(0.4, 12);
    const over = read(formBody('Exp0000000000001', { 'massive-live': 100, 'softcoral-live': 100 }));
    expect(over.answer).toMatchObject({ shares: { massive: 0.5, other: 0.5, unknown: 0 } });
  });

  test('2§4 a bad image is bad by label, by flag and by the switch of the form', () => {
    const label = labelBody(2.4, 'Ana0000000000001', REEF_AND_SAND, {}, [{ kind: 'bad', since: 1, label: 'badimage' }]);
    const flag = tracingBody(3, 'Ana0000000000001', [{ kind: 'zap', since: 1, paints: categoryClass('flag_focus')! }]);
    for (const body of [label, flag, formBody('Exp0000000000001', {}, true)])
      expect(read(body).answer).toEqual({ kind: 'bad' });
  });

  test('2§1 the model’s own labels are a ballot', () => {
    const set = outlineSet([
      predictedOutline('p1', 'Branching', rectangle(0, 0, 0.6, 0.6)),
      predictedOutline('p2', 'kelp', rectangle(0.6, 0.6, 1, 1)),
      predictedOutline('p3', 'reef', rectangle(0.7, 0, 1, 0.2)),
    ]);
    const ballot = modelBallot(set);
    expect(covers(ballot)).toEqual({ p1: 'branching', p2: null, p3: null });
    expect(ballot.ignored).toEqual(['its label "kelp" has no cover class']);
  });
});

describe('2§4 analyses that cannot be counted return a reason', () => {
  const good = labelBody(2.4, 'Ana0000000000001', REEF_AND_SAND, { p1: 'branching', p2: 'structure' });

  test('2§4 unknown version, broken geobuf, other picture, lost outlines, no author', () => {
    expect(reason({ ...good, version: 9 })).toBe('its version 9 is unknown');
    expect(reason({ ...good, geobuf_string: 'AAAA' })).toMatch(/./);
    expect(reason({ ...good, geobuf_string: '?' })).toBe('its traces are not base64');
    expect(reason(good, { width: 1500, height: 2000 })).toMatch(/^it is of a picture of 2000 by 1500 px/);
    expect(reason({ ...good, user: null })).toBe('it has no author');
    expect(reason({ ...good, id: 7 })).toBe('it has no id');
    const empty = labelBody(2.4, 'Ana0000000000001', outlineSet([]), {});
    expect(reason(empty)).toBe('it has no outlines');
    expect(reason({ ...empty, otherAnswers: good['otherAnswers']! })).toBe('its outlines no longer exist');
    expect(reason(labelBody(2.4, 'Ana0000000000001', REEF_AND_SAND, {}))).toBe('none of its outlines has a label');
    expect(reason(tracingBody(3, 'Ana0000000000001', []))).toBe('it has no traces');
    expect(reason(formBody('Exp0000000000001', {}))).toBe('it has no percentages');
  });

  test('2§4 an answer that would hold up all others is not painted', () => {
    const zap = { kind: 'zap', paints: categoryClass('background_water')! } as const;
    const zaps = (count: number) =>
      tracingBody(
        3,
        'Ana0000000000001',
        Array.from({ length: count }, (_, since) => ({ ...zap, since })),
      );
    expect(reason(zaps(401))).toBe('it paints its picture more than 400 times over');
    expect(read(zaps(400)).answer.kind).toBe('marks');
    const across = Array.from({ length: 40_000 }, (_, at): Position => [at % 2, 0.5]);
    const stroke = { kind: 'stroke', since: 1, paints: categoryClass('background_water')! } as const;
    expect(reason(tracingBody(3, 'Ana0000000000001', [{ ...stroke, points: across }]))).toMatch(/times over$/);
    const dots = Array.from({ length: 100_000 }, (_, at): Position => [at / 1e5, 0.5]);
    expect(read(tracingBody(3, 'Ana0000000000001', [{ ...stroke, points: dots }])).answer.kind).toBe('marks');
    const far = { kind: 'polygon', since: 1, paints: categoryClass('background_water')! } as const;
    const around = tracingBody(3, 'Ana0000000000001', [{ ...far, rings: [rectangle(-5000, -5000, 5000, 5000)] }]);
    expect(read(around).answer.kind).toBe('marks');
  });

  test('2§4 a scaled copy of the picture is the same picture', () => {
    expect(covers(read(good, { width: 4001, height: 3000 }))).toEqual({ p1: 'branching', p2: 'none' });
  });

  test('2§4 parts that cannot be read are named, and the others count', () => {
    const { otherAnswers, ...rest } = good;
    const lost = { predicted: 'gone', labels: { labels: 'plating' } };
    const labels = (otherAnswers as { polygon_labels: JsonObject[] }).polygon_labels;
    const ballot = read({ ...rest, otherAnswers: { polygon_labels: [...labels, lost] } });
    expect(ballot.ignored).toEqual(['1 of outlines that no longer exist']);
    expect(covers(ballot)).toEqual({ p1: 'branching', p2: 'none' });
    const typed = formBody('Exp0000000000001', { 'kelp-live': 40, 'massive-live': 60 });
    expect(read(typed).ignored).toEqual(['the percentage of the unknown field "kelp-live"']);
    expect(read(typed).answer).toMatchObject({ shares: { massive: 0.6, unknown: 0.4 } });
  });
});
