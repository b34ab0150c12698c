import { describe, expect, test } from 'vitest';
import type { SurveyId } from '../../domain/ids';
import { compareCounts } from './compare-counts';

const mine = (id: string, box: number) => ({ surveyId: id as SurveyId, name: id, box });
const theirs = (id: string, here: number) => ({ id, images: { total: here + 1, here, ashore: 0 } });

describe('1§3 edge stats: comparison of counts with the box', () => {
  test('equal counts agree survey by survey, and other people’s surveys do not matter', () => {
    expect(compareCounts([mine('a', 3), mine('b', 0)], [theirs('a', 3), theirs('c', 9)])).toEqual({
      status: 'same',
      count: 3,
    });
  });
  test('a difference shows both counts, even if the sums are equal', () => {
    expect(compareCounts([mine('a', 3), mine('b', 4)], [theirs('a', 4), theirs('b', 3)])).toEqual({
      status: 'different',
      surveys: [
        { surveyId: 'a', name: 'a', tablet: 3, box: 4 },
        { surveyId: 'b', name: 'b', tablet: 4, box: 3 },
      ],
    });
  });
});
