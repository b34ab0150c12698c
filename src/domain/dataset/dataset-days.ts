import { findDayNumber } from '../calendar-day';
import type { DatasetPeriod } from './census-year';
import { periodDays } from './census-year';

/** Part of a dataset's record that places it in time. */
interface DatedDataset extends DatasetPeriod {
  readonly id: string;
  readonly regionId: string;
  readonly shortName: string;
  readonly isDeleted: boolean;
}

/**
 * Datasets that a survey belongs to by its day, without deleted ones, in order of their ids; several if they overlap.
 *
 * @param datasets of one region
 * @param day `YYYY-MM-DD`, or a time that begins so; null or not a day: none
 */
export function datasetsOfDay<D extends DatedDataset>(datasets: readonly D[], day: string | null): readonly D[] {
  const number = findDayNumber(day);
  if (number === null) return [];
  return sorted(
    datasets.filter((dataset) => {
      if (dataset.isDeleted) return false;
      const { first, last } = periodDays(dataset);
      return first <= number && number <= last;
    }),
  );
}

/** Other datasets of the region that share a day with one, without deleted ones, in order of their ids. */
export function overlappingDatasets<D extends DatedDataset>(dataset: DatedDataset, others: readonly D[]): readonly D[] {
  const { first, last } = periodDays(dataset);
  return sorted(
    others.filter((other) => {
      if (other.isDeleted || other.regionId !== dataset.regionId || other.id === dataset.id) return false;
      const period = periodDays(other);
      return period.first <= last && period.last >= first;
    }),
  );
}

/** Sentence for staff that names the datasets with which one overlaps; null if it is alone. Overlaps are allowed. */
export function overlapText(dataset: DatedDataset, others: readonly DatedDataset[]): string | null {
  const names = overlappingDatasets(dataset, others).map(
    ({ shortName, startDate, endDate }) => `${shortName} (${startDate} to ${endDate})`,
  );
  if (names.length === 0) return null;
  return `${dataset.shortName} overlaps with ${names.join(', ')}. Surveys on shared days count in each of them.`;
}

const sorted = <D extends DatedDataset>(datasets: readonly D[]): readonly D[] =>
  [...datasets].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
