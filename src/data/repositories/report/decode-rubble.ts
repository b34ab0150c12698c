import { ReefError } from '../../../domain/errors';
import { RUBBLE_COLUMNS } from '../../../domain/results/tables/rubble-file';
import type { RubbleSites } from './types';

/** Rubble sites of `rubble.csv`; lines that are not valid are left out. @throws ReefError for a file without its columns */
export function decodeRubble(text: string): RubbleSites {
  const [head = '', ...lines] = text.trim().split(/\r?\n/);
  if (head !== RUBBLE_COLUMNS.join(','))
    throw new ReefError('internal', { message: 'The rubble sites of this region cannot be read.' });
  const sites = { longitudes: [], latitudes: [], photographs: [], probabilities: [] } as {
    [Name in keyof RubbleSites]: number[];
  };
  for (const line of lines) {
    const [n = NaN, longitude = NaN, latitude = NaN, photographs = NaN, probability = NaN] = line
      .split(',')
      .map(Number);
    if (![n, longitude, latitude, photographs, probability].every(Number.isFinite)) continue;
    sites.longitudes[n] = longitude;
    sites.latitudes[n] = latitude;
    sites.photographs[n] = photographs;
    sites.probabilities[n] = probability;
  }
  return sites;
}
