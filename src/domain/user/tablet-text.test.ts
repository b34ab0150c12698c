import { describe, expect, it } from 'vitest';
import { tabletName, tabletText } from './tablet-text';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const tablet = { id: 'x', name: 'Deck', lastSeenAt: '2026-11-20T09:00:00Z', revokedAt: null, current: false };

describe('1§4 the list of one’s tablets', () => {
  it('1§4 each is named, and the one in hand is marked', () => {
    expect(tabletName(tablet)).toBe('Deck');
    expect(tabletName({ name: '', current: true })).toBe('Tablet without a name (this tablet)');
  });

  it('1§4 it states when the shore last saw it, and what a revoked one still does', () => {
    expect(tabletText(tablet, NOW)).toBe('Seen 3 h ago');
    expect(tabletText({ ...tablet, lastSeenAt: null }, NOW)).toBe('Nothing sent yet');
    expect(tabletText({ ...tablet, revokedAt: '2026-11-19T10:00:00Z' }, NOW)).toMatch(
      /^Revoked .*2026: it only sends$/,
    );
  });
});
