import { expect, test } from 'vitest';
import { isFullScreen, isWithin } from './nav-items';

test('2§2 an open analysis fills the screen; the image list and the library have the rail', () => {
  for (const path of [
    '/analysis/AbCdEf012345/GhIjKl678901',
    '/analysis/expert/AbCdEf012345/GhIjKl678901',
    '/analysis/training',
  ])
    expect(isFullScreen(path), path).toBe(true);
  for (const path of [
    '/analysis',
    '/analysis/',
    '/analysis/library/AbCdEf012345',
    '/surveys/AbCdEf012345',
    '/analysis/AbCdEf012345/',
  ])
    expect(isFullScreen(path), path).toBe(false);
  expect(isWithin('/analysis/library/AbCdEf012345', '/analysis')).toBe(true);
});
