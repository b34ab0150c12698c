import { describe, expect, it } from 'vitest';
import { sourcesText } from './footer-text';

describe('the foot of a page', () => {
  it('3§2 says whose the reefs and the land are, with their licences', () => {
    expect(sourcesText('© GBRMPA, CC BY 4.0: names, numbers and positions')).toBe(
      'Reefs: © GBRMPA, CC BY 4.0. Land: Natural Earth, public domain. Type: Poppins and Work Sans, SIL OFL 1.1.',
    );
  });
  it('3§2 omits reefs where there is no table or no owner', () => {
    expect(sourcesText('')).toBe('Land: Natural Earth, public domain. Type: Poppins and Work Sans, SIL OFL 1.1.');
    expect(sourcesText(' : names')).not.toContain('Reefs');
  });
});
