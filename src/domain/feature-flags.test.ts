import { describe, expect, it } from 'vitest';
import { flagsFromQuery, isFlagOn } from './feature-flags';

describe('1§2 feature flags', () => {
  it.each([
    ['one value', { featureFlagsOn: 'ffCms' }, { ffCms: true }],
    ['a repeated parameter', { featureFlagsOn: ['ffCms', 'deck'] }, { ffCms: true, deck: true }],
    ['a list in one value', { featureFlagsOff: 'ffCms, deck' }, { ffCms: false, deck: false }],
    ['both: off is the safer', { featureFlagsOn: 'ffCms', featureFlagsOff: ['ffCms'] }, { ffCms: false }],
    ['nothing', {}, {}],
    ['invalid names', { featureFlagsOn: ['', '1x', '<b>', '__proto__', 7, null] }, {}],
  ])('1§2 %s', (_name, query, expected) => {
    expect(flagsFromQuery(query)).toEqual(expected);
  });

  it('1§2 flags that the URL does not name stay as they were', () => {
    expect(flagsFromQuery({ featureFlagsOff: 'deck' }, { ffCms: true, deck: true })).toEqual({
      ffCms: true,
      deck: false,
    });
  });

  it('1§2 an unset flag is off, even with an inherited name', () => {
    expect(isFlagOn({}, 'constructor')).toBe(false);
    expect(isFlagOn({ ffCms: true }, 'ffCms')).toBe(true);
  });
});
