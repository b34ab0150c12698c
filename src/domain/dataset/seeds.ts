import type { Region } from '../region/region';
import type { Dataset } from './dataset';
import { formatDayNumber } from '../calendar-day';
import { seasonDays } from './season';

/**
 * First datasets of a region: GRC1 to GRC6, and Hawaii's pilot (1§9), each a season of its year. A pilot has the season
 * of its year's round, so that the two overlap.
 *
 * @param now ISO 8601 time, for `createdAt` and `updatedAt`
 */
export function datasetSeeds(region: Region, now: string): readonly Dataset[] {
  return region.datasets.map(({ id, year, displayName }) => {
    const { first, last } = seasonDays(region.reportingTimeline, year);
    return {
      id,
      regionId: region.regionId,
      name: `${region.regionName} ${displayName}`,
      shortName: displayName,
      startDate: formatDayNumber(first),
      endDate: formatDayNumber(last),
      stats: { surveys: 0, images: 0 },
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
  });
}
