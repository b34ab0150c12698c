import { describe, expect, it } from 'vitest';
import { sourcesText } from './footer-text';

describe('the footer of a page', () => {
  it('3§2 the footer names the owners and licences of reefs and land', () => {
    expect(sourcesText('© GBRMPA, CC BY 4.0: names, numbers and positions')).toBe(
      'Reefs: © GBRMPA, CC BY 4.0. Land: Natural Earth, public domain. Type: Poppins and Work Sans, SIL OFL 1.1.',
    );
  });
  it('3§2 the footer omits reefs without a table or owner', () => {
    expect(sourcesText('')).toBe('Land: Natural Earth, public domain. Type: Poppins and Work Sans, SIL OFL 1.1.');
    expect(sourcesText(' : names')).not.toContain('Reefs');
  });
});
