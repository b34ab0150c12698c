import { expect, it } from 'vitest';
import { flagOf } from './flag';

it('3§3 otherwise a country flag, by country name', () => {
  expect(flagOf('Australia')).toBe('🇦🇺');
  expect(flagOf(' new zealand ')).toBe('🇳🇿');
  expect(flagOf('USA')).toBe('🇺🇸');
  expect(flagOf('Egypt')).toBe('🇪🇬');
  for (const none of ['', 'Atlantis', 'AU', 'World', 'European Union']) expect(flagOf(none)).toBeNull();
});
