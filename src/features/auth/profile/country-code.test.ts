import { expect, it } from 'vitest';
import { flagSprite } from '../../../../scripts/flag-sprite.mjs';
import { countryCode } from './country-code';

it('3§3 a country name yields its flag code', () => {
  expect(countryCode('Australia')).toBe('AU');
  expect(countryCode(' new zealand ')).toBe('NZ');
  expect(countryCode('USA')).toBe('US');
  expect(countryCode('Egypt')).toBe('EG');
  for (const none of ['', 'Atlantis', 'AU', 'World', 'European Union']) expect(countryCode(none)).toBeNull();
});

it('every named country has a flag in one sprite without scripts', () => {
  const { svg, codes } = flagSprite();
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  for (const code of codes) expect(svg.split(`id="${code}"`)).toHaveLength(2);
  const missing = ['AU', 'NZ', 'US', 'EG', 'FJ', 'PG', 'ID', 'PH', 'PW', 'KI', 'MV', 'SC', 'BZ', 'CU'].filter(
    (code) => !codes.includes(code) || countryCode(names.of(code) ?? '') !== code,
  );
  expect(missing).toEqual([]);
  expect(svg).not.toMatch(/<script|href=|\son\w+=/);
});
