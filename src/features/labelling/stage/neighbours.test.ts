import { describe, expect, test } from 'vitest';
import type { Outline } from '../../../domain/analysis/labelling/outline';
import { neighbourOf, nextUnlabelled, placeText, stepOutline } from './neighbours';

const at = (id: string, x: number, y: number, half = 0.02): Outline => ({
  id,
  rings: [
    [
      [x - half, y - half],
      [x + half, y - half],
      [x + half, y + half],
      [x - half, y + half],
      [x - half, y - half],
    ],
  ],
  area: 4 * half * half,
  predicted: null,
});
const GRID = [at('a', 0.2, 0.2), at('b', 0.5, 0.22), at('c', 0.8, 0.2), at('d', 0.2, 0.8), at('e', 0.52, 0.8)];
const go = (from: string | null, direction: 'left' | 'right' | 'up' | 'down', turns = 0): string | null =>
  neighbourOf(GRID, from, direction, 0.75, turns)?.id ?? null;

describe('2§4: arrow keys go between outlines', () => {
  test('the next outline in a direction is near and ahead', () => {
    expect(go('a', 'right')).toBe('b');
    expect(go('b', 'right')).toBe('c');
    expect(go('b', 'down')).toBe('e');
    expect(go('e', 'left')).toBe('d');
    expect(go('d', 'up')).toBe('a');
  });

  test('nothing lies beyond the last one', () => {
    expect(go('c', 'right')).toBeNull();
    expect(go('a', 'up')).toBeNull();
  });

  test('on a turned picture the directions are those of the screen', () => {
    // A quarter turn clockwise: the picture's top is at the right.
    expect(go('e', 'right', 1)).toBe('b');
    expect(go('b', 'down', 1)).toBe('c');
    expect(go('b', 'left', 2)).toBe('c');
  });

  test('without an active outline the arrows start at the middle', () => {
    expect(go(null, 'left')).not.toBeNull();
  });

  test('every outline is reached by stepping, largest first and around the end', () => {
    const seen: (string | undefined)[] = [];
    let current: Outline | null = null;
    for (let times = 0; times < GRID.length + 1; times++) {
      current = stepOutline(GRID, current?.id ?? null, 1);
      seen.push(current?.id);
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
    expect(stepOutline(GRID, 'a', -1)?.id).toBe('e');
    expect(stepOutline([], null, 1)).toBeNull();
  });

  test('the next without a label is the largest', () => {
    expect(nextUnlabelled(GRID, (id) => id === 'a')?.id).toBe('b');
    expect(nextUnlabelled(GRID, () => true)).toBeNull();
  });

  test('the place of an outline is named in words', () => {
    expect(GRID.map(placeText)).toEqual(['top left', 'at the top', 'top right', 'bottom left', 'at the bottom']);
    expect(placeText(at('m', 0.5, 0.5))).toBe('in the middle');
    expect(placeText(at('m', 0.1, 0.5))).toBe('at the left');
  });
});
