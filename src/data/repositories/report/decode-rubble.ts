import { ReefError } from '../../../domain/errors';
import type { RubbleFacts } from '../../../domain/results/tables/rubble-file';
import { RUBBLE_COLUMNS, RUBBLE_SITE_COLUMNS } from '../../../domain/results/tables/rubble-file';
import type { RubbleSites } from './types';

/**
 * Rubble sites of `rubble.csv`; lines that are not valid are left out. An older file has no `source`, nor the columns
 * after it.
 *
 * @throws ReefError for a file without its columns
 */
export function decodeRubble(text: string): RubbleSites {
  const [head = '', ...lines] = text.trim().split(/\r?\n/);
  if (!`${head},`.startsWith(`${RUBBLE_SITE_COLUMNS.join(',')},`))
    throw new ReefError('internal', { message: 'The rubble sites of this region cannot be read.' });
  const hasSource = `${head},`.startsWith(`${RUBBLE_COLUMNS.join(',')},`);
  const sites = { longitudes: [], latitudes: [], photographs: [], probabilities: [], sources: [] } as {
    [Name in keyof RubbleSites]: RubbleSites[Name][number][];
  };
  for (const line of lines) {
    const texts = line.split(',');
    const cells = texts.map((cell) => (cell === '' ? NaN : Number(cell)));
    const [n = NaN, longitude = NaN, latitude = NaN, photographs = NaN, probability = NaN] = cells;
    if (![n, longitude, latitude, photographs, probability].every(Number.isFinite)) continue;
    sites.longitudes[n] = longitude;
    sites.latitudes[n] = latitude;
    sites.photographs[n] = photographs;
    sites.probabilities[n] = probability;
    if (hasSource) sites.sources[n] = factsOf(texts[SOURCE], cells.slice(SOURCE + 1));
  }
  return sites;
}

const SOURCE = RUBBLE_COLUMNS.indexOf('source');

function factsOf(source: string | undefined, cells: readonly number[]): RubbleFacts {
  if (source === 'imported') return null;
  const [low = NaN, high = NaN, analysts = NaN, skill = NaN, pipeline = NaN] = cells;
  const isKnown = source === 'census' && [low, high, analysts, skill, pipeline].every(Number.isFinite);
  return isKnown ? { low, high, analysts, skill, pipeline } : undefined;
}
