import { describe, expect, it } from 'vitest';
import { themeCookie, themeNamed, themeOfCookies } from './theme';

describe('the theme of server-rendered pages', () => {
  it('3§2: the app’s theme is read from its cookie, among others', () => {
    for (const theme of ['auto', 'light', 'dark', 'deck'] as const) {
      const [pair] = themeCookie(theme, '/edge').split(';');
      expect(themeOfCookies(`a=b; ${pair}; reef-console=x`)).toBe(theme);
    }
    expect(themeCookie('deck', '/console')).toContain('; Path=/console;');
  });

  it('3§2: an unknown theme becomes the system theme', () => {
    for (const header of [
      undefined,
      '',
      'reef-theme',
      'reef-theme=',
      'reef-theme=pink',
      'xreef-theme=deck',
      'reef-theme="><script>',
    ])
      expect(themeOfCookies(header)).toBe('auto');
    expect(themeNamed('deck')).toBe('deck');
    for (const word of [undefined, null, 7, 'Deck', ['deck']]) expect(themeNamed(word)).toBeUndefined();
  });
});
