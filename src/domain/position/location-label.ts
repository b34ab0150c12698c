import { ANALYSIS_LIMITS } from '../limits';

/**
 * 2§9: "Location label by latitude: north of -14.5 Northern; north of -20.5 Central; else Southern." @param lat
 * degrees; null if the picture has no position
 */
export function locationLabel(lat: number | null): 'Northern' | 'Central' | 'Southern' | null {
  if (lat === null || !Number.isFinite(lat)) return null;
  return lat > ANALYSIS_LIMITS.northernFrom ? 'Northern' : lat > ANALYSIS_LIMITS.centralFrom ? 'Central' : 'Southern';
}
