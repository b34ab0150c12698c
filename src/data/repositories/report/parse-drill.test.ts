import { expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json';
import { COVER_CLASSES } from '../../../domain/results/cover';
import { answerRecord } from '../../../domain/analysis/answer-record';
import { formBody, labelBody, outlineSet, predictedOutline, rectangle } from '../../../../tests/support/analyses';
import { parseAnswer, parseConsensus, parseSharePhotograph } from './parse-drill';

const shares = Object.fromEntries(COVER_CLASSES.map((name) => [name, name === 'plating' ? 0.6 : 0.4 / 6]));
const CONSENSUS = {
  imageId: 'Image00000000001',
  skill: 3,
  shares,
  agreement: 0.82,
  isBad: false,
  places: [
    {
      kind: 'outline',
      id: 'o1',
      box: [0, 0.1, 0.5, 0.6],
      area: 0.2,
      posterior: shares,
      answers: [
        { analyst: 'A', cover: 'plating' },
        { analyst: 'B', cover: null },
      ],
    },
  ],
  analysts: [
    { analyst: 'A', answerId: '0f3a', uid: 'u', name: { first: 'Ana', last: 'Reef' } },
    { analyst: 'B', unread: 'its outlines no longer exist' },
  ],
};

test('2§9 the consensus of a photograph has its places in doubt and analysts by letter', () => {
  const consensus = parseConsensus(CONSENSUS);
  expect(consensus?.places).toEqual([
    expect.objectContaining({ id: 'o1', box: [0, 0.1, 0.5, 0.6], answers: CONSENSUS.places[0]?.answers }),
  ]);
  expect(consensus?.analysts).toEqual([
    { analyst: 'A', name: 'Ana Reef', unread: null, answerId: '0f3a' },
    { analyst: 'B', name: null, unread: 'its outlines no longer exist', answerId: null },
  ]);
});

test('a consensus without shares, and a place outside the picture, are left out', () => {
  expect(parseConsensus({ ...CONSENSUS, shares: { plating: 1 } })).toBeNull();
  expect(parseConsensus({ ...CONSENSUS, agreement: 1.2 })).toBeNull();
  const [place] = CONSENSUS.places;
  const places = [
    { ...place, box: [0.5, 0, 0.5, 1] },
    { ...place, box: [0, 0, 2, 1] },
    { ...place, box: 'all' },
  ];
  expect(parseConsensus({ ...CONSENSUS, places })?.places).toEqual([]);
});

test('a photograph of a share names its survey; one without a share is left out', () => {
  const item = { id: 'Image00000000001', survey: { id: 'Survey0000000001', name: 'North wall' }, share: 0.61 };
  expect(parseSharePhotograph(item)).toMatchObject({
    image: { id: 'Image00000000001', surveyId: 'Survey0000000001' },
    surveyName: 'North wall',
    share: 0.61,
  });
  expect([parseSharePhotograph({ ...item, share: null }), parseSharePhotograph('x')]).toEqual([null, null]);
});

test('2§9 an answer has its outlines or its percentages; one that cannot be read says so', () => {
  const set = outlineSet([predictedOutline('o1', 'branching', rectangle(0, 0, 0.5, 0.5))]);
  const item = (body: JsonObject) => ({ imageId: 'i', answerId: 'a', analyst: 'B', ...answerRecord(body) });
  const labels = parseAnswer(item(labelBody(2.4, 'p', set, { o1: 'plating' })));
  expect(labels).toMatchObject({ analyst: 'B', name: null, version: 2.4, form: null, content: { kind: 'labels' } });
  const form = parseAnswer(item(formBody('p', { 'branching-live': 40 })));
  expect(form).toMatchObject({
    form: { percent: { 'branching-live': 40 } },
    content: { kind: 'free-draw', marks: [] },
  });
  expect(parseAnswer(item({ version: 3, geobuf: '?' }))).toMatchObject({
    content: { kind: 'broken' },
    storedShares: null,
  });
  const stats = { coverage: 0.4, categories: [{ id: 'sand', label: 'Sand', path: [], coverage: 0.4 }] };
  expect(parseAnswer(item({ version: 1, stats }))).toMatchObject({
    coverage: 0.4,
    content: { kind: 'broken' },
    storedShares: stats.categories,
  });
  expect(parseAnswer({ ...item({ version: 3 }), record: null })).toBeNull();
  expect(parseAnswer({ ...item({ version: 3 }), answerId: '' })).toBeNull();
});
