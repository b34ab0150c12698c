import { describe, expect, test } from 'vitest';
import type { SurveyId } from '../../domain/ids';
import { detectArrival } from './detect-arrival';

const survey = (id: string, alone: number, box: number) => ({
  surveyId: id as SurveyId,
  total: alone + box,
  alone,
  box,
});

describe('protocol: receipts announce arrivals', () => {
  test('an arrival names a photograph, a complete survey or everything', () => {
    expect(detectArrival([survey('a', 2, 0), survey('b', 1, 0)], [survey('a', 1, 1), survey('b', 1, 0)])).toBe('tick');
    expect(detectArrival([survey('a', 1, 1), survey('b', 1, 0)], [survey('a', 0, 2), survey('b', 1, 0)])).toBe(
      'survey',
    );
    expect(detectArrival([survey('a', 0, 2), survey('b', 1, 0)], [survey('a', 0, 2), survey('b', 0, 1)])).toBe('done');
  });
  test('a removal, another tablet’s photograph and the first count are not an arrival', () => {
    expect(detectArrival([survey('a', 2, 0)], [survey('a', 1, 0)])).toBeNull();
    expect(detectArrival([survey('a', 0, 1)], [survey('a', 0, 2)])).toBeNull();
    expect(detectArrival([], [survey('a', 0, 2)])).toBeNull();
  });
});
