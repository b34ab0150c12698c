import { expect, test } from 'vitest';
import {
  formBody,
  labelBody,
  outlineSet,
  predictedOutline,
  rectangle,
  tracingBody,
} from '../../../tests/support/analyses';
import type { JsonObject } from '../json';
import { answerRecord } from './answer-record';
import { readExpertForm } from './free-draw/expert-form';
import { categoryClass } from './free-draw/categories';
import type { FreeDrawMark } from './free-draw/marks';
import { readFreeDraw } from './free-draw/record';
import { readLabelRecord } from './labelling/label-record';
import { labellingOf } from './labelling/labelling';
import { decodeTraces } from './record-traces';

const UID = 'Person0000000007';
/** Members that readers must not get: people, records, places and times. */
const SECRETS = [UID, 'Ana', 'Cruz', 'Survey0000', 'Image0000', 'Analysis', 'Agincourt', 'gbr-secret'];
const AT = Date.parse('2026-11-20T00:00:31.000Z');

const MARKS: readonly FreeDrawMark[] = [
  {
    kind: 'stroke',
    since: AT,
    paints: categoryClass('branching')!,
    points: [
      [0.1, 0.1],
      [0.4, 0.2],
    ],
  },
  { kind: 'polygon', since: AT + 900, paints: 'erase', rings: [rectangle(0.2, 0.2, 0.3, 0.3)] },
  { kind: 'zap', since: AT + 5000, paints: categoryClass('sand')! },
];

/** All text of a record, its packed traces too. */
function textOf(record: JsonObject): string {
  const packed = [record['geobuf'], record['geobuf_string']].filter((text) => typeof text === 'string');
  return JSON.stringify([record, packed.map(decodeTraces)]);
}

function expectNoPerson(record: JsonObject): void {
  for (const secret of SECRETS) expect(textOf(record)).not.toContain(secret);
  expect(textOf(record)).not.toMatch(/2026|17\d{11}/);
}

test('2§9 the answer of a tracing has its marks in order, and neither person, picture nor times', () => {
  for (const version of [1, 3] as const) {
    const { record, hidden } = answerRecord({ ...tracingBody(version, UID, MARKS), note: 'gbr-secret' });
    const read = readFreeDraw(record);
    expect(read).toMatchObject({ kind: 'free-draw', version, size: { width: 2000, height: 1500 } });
    expect(read.kind === 'free-draw' && read.marks).toEqual(MARKS.map((mark, since) => ({ ...mark, since })));
    expect(hidden).toBe(0);
    expectNoPerson(record);
  }
});

test('2§9 the answer of a labelling has its outlines, labels and answers, and no person', () => {
  const set = outlineSet([
    predictedOutline('o1', 'branching', rectangle(0, 0, 0.5, 0.5)),
    predictedOutline('o2', 'plating', rectangle(0.5, 0, 1, 0.5)),
  ]);
  const body = labelBody(2.4, UID, set, { o1: 'plating', o2: 'massive' });
  const stored = {
    ...body,
    stats: { coverage: 0.5, steps: { labels: { coverage: 0.5, categories: { plating: 0.25, massive: 0.25 } } } },
    eventTags: ['gbr-secret'],
  };
  const { record } = answerRecord(stored);
  const [before, after] = [readLabelRecord(stored), readLabelRecord(record)];
  if (before.kind !== 'labels' || after.kind !== 'labels') throw new Error('a labelling was expected');
  expect(after.set).toEqual(before.set);
  expect([...labellingOf(after.version, after.set.outlines, after.logs).labels]).toEqual([
    ...labellingOf(before.version, before.set.outlines, before.logs).labels,
  ]);
  expect(record['stats']).toEqual({
    coverage: 0.5,
    steps: { labels: { categories: { plating: 0.25, massive: 0.25 } } },
  });
  // Times of the labels are 1000 and later.
  expect(textOf(record)).toContain('"since":1');
  expect(textOf(record)).not.toMatch(/"since":\d{2}/);
  expectNoPerson(record);
});

test('2§9 the answer of a form has its percentages alone', () => {
  const { record } = answerRecord(formBody(UID, { 'branching-live': 40, 'branching-dead': 5 }));
  expect(readExpertForm(record)?.percent).toEqual({ 'branching-live': 40, 'branching-dead': 5 });
  expectNoPerson(record);
});

test('2§8 of a record that cannot be read the answer has the version and stored shares alone', () => {
  const broken = { ...tracingBody(3, UID, MARKS), geobuf: 'not base64!' };
  expect(answerRecord(broken)).toEqual({ record: { version: 3 }, hidden: 0 });
  expect(readFreeDraw(answerRecord(broken).record).kind).toBe('broken');
  const stats = { coverage: 0.4, categories: [{ id: 'sand', label: 'Sand', path: [], coverage: 0.4 }] };
  expect(answerRecord({ version: 1, stats, user: { uid: UID } }).record).toEqual({ version: 1, stats });
  const labels = { version: 2.4, geobuf_string: '****', user: { uid: UID } };
  expect(answerRecord(labels).record).toEqual({ version: 2.4 });
  expect(readLabelRecord(answerRecord(labels).record).kind).toBe('broken');
  expect(answerRecord({ ...tracingBody(3, UID, MARKS), version: 99 }).record).toEqual({ version: 99 });
  expect(answerRecord({})).toEqual({ record: {}, hidden: 0 });
});
