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

test('3§2 a page belongs to the link of its place, the analysis of a region to Analyse', () => {
  for (const [path, place, is] of [
    ['/analysis', '/analysis', true],
    ['/hawaii/analysis', '/analysis', true],
    ['/Hawaii/analysis', '/analysis', true],
    ['/hawaii/analysis/', '/analysis', true],
    ['/Surveys', '/surveys', true],
    ['/hawaii/analysis', '/surveys', false],
    ['/surveys/AbCdEf012345', '/surveys', true],
    ['/surveys-of-mine', '/surveys', false],
    ['/hawaii', '/analysis', false],
    ['/atlantis/analysis', '/analysis', false],
    ['/__proto__/analysis', '/analysis', false],
    ['/surveys/analysis', '/analysis', false],
    ['/detailed-reporting/grc6/priority', '/detailed-reporting', true],
    ['/hawaii/detailed-reporting', '/detailed-reporting', true],
    ['/hawaii/detailed-reporting/grc6', '/detailed-reporting', true],
    ['/atlantis/detailed-reporting', '/detailed-reporting', false],
  ] as const)
    expect(isWithin(path, place), `${path} in ${place}`).toBe(is);
});
