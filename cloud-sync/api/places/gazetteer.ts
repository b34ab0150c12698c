import { ANALYSIS_LIMITS } from '../../../src/domain/limits/analysis';
import type { Place } from '../../../src/protocol/accounts';
import capitals from './gazetteer-capitals.json';
import { REEF_TOWNS } from './gazetteer-places';

interface GazetteerEntry {
  readonly place: Place;
  readonly searchKeys: readonly [string, string, string];
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });

/** Normalizes text for search: no accents or punctuation, lower case. */
function normalizeText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\p{M}'’ʻ]/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function gazetteerEntry(
  name: string,
  state: string,
  code: string,
  lat: string | number,
  lng: string | number,
): GazetteerEntry {
  const country = countryNames.of(code) ?? code;
  const value = [...new Set([name, state, country])].filter((part) => part !== '').join(', ');
  const id = `place.${code}.${normalizeText(`${name} ${state}`).replaceAll(' ', '-')}`;
  return {
    place: { id, value, name, country, _geoloc: { lat: Number(lat), lng: Number(lng) } },
    searchKeys: [normalizeText(name), normalizeText(state), normalizeText(country)],
  };
}

const rows = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(','));

const PLACES: readonly GazetteerEntry[] = [
  ...rows(REEF_TOWNS).map(([name = '', state = '', code = '', lat = '', lng = '']) =>
    gazetteerEntry(name, state, code, lat, lng),
  ),
  // Columns: country by ISO 3166-1, name, latitude, longitude in degrees; for the sources see `gazetteer-places.ts`.
  ...capitals.map(([code = '', name = '', lat = '', lng = '']) =>
    gazetteerEntry(String(name), '', String(code), lat, lng),
  ),
];

/** Match distance, lower is better; undefined unless everything asked for matches. */
function distance(asked: string, { searchKeys: [name, state, country] }: GazetteerEntry): number | undefined {
  const whole = [name, state, country].filter((word) => word !== '').join(' ');
  if (name === asked) return 0;
  if (whole.startsWith(asked)) return 1;
  if (` ${name}`.includes(` ${asked}`)) return 2;
  if (` ${whole}`.includes(` ${asked}`)) return 3;
  return undefined;
}

/**
 * Finds up to 5 places for at least 3 characters (2§5): name prefixes first, then state or country; nearer to reefs
 * first.
 */
export function searchGazetteer(typed: string): Place[] {
  const query = normalizeText(typed);
  if (query.length < ANALYSIS_LIMITS.geocodingCharactersMin) return [];
  return PLACES.flatMap((one, n) => {
    const far = distance(query, one);
    return far === undefined ? [] : [{ one, far, n }];
  })
    .sort((a, b) => a.far - b.far || a.n - b.n)
    .slice(0, ANALYSIS_LIMITS.geocodingResults)
    .map(({ one }) => one.place);
}
