import type { CoverEstimate } from '../cover';
import { CORAL_CLASSES } from '../cover';
import type { FigureVersions, ReefResult } from '../reef-result';
import { JsonFields, refuse } from './json-checks';

/** JSON of results, `{version, results}`, in order of dataset and feature: the same bytes in any order of arrival. */
export function encodeReefResults(results: readonly ReefResult[]): string {
  return JSON.stringify({ version: 1, results: sortedResults(results).map(plainResult) });
}

/** Results in the order of the public files: by dataset, then by feature. */
export function sortedResults(results: readonly ReefResult[]): readonly ReefResult[] {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return [...results].sort((a, b) => order(a.datasetId, b.datasetId) || order(a.featureId, b.featureId));
}

/**
 * Checks results that were downloaded.
 *
 * @param json parsed
 * @throws ReefError `unsupported-version` for a later version; `bad-message` with `{field}` for what is missing or no
 *   figure: covers outside 0 to 100, an interval that does not hold its value
 */
export function decodeReefResults(json: unknown): readonly ReefResult[] {
  const file = new JsonFields(json, 'results');
  file.checkVersion(1);
  return file.list('results', decodeResult);
}

/** Versions behind a figure. */
export function decodeVersions(fields: JsonFields): FigureVersions {
  return { skill: fields.count('skill'), pipeline: fields.count('pipeline'), release: fields.countOrNull('release') };
}

function decodeResult(item: unknown, path: string): ReefResult {
  const fields = new JsonFields(item, path);
  const covers = fields.fieldsOrNull('covers');
  return {
    featureId: fields.text('featureId'),
    datasetId: fields.text('datasetId'),
    year: fields.text('year'),
    covers: covers === null ? null : decodeCovers(covers),
    dominantCoral: decodeDominant(fields),
    lastSurveyed: fields.textOrNull('lastSurveyed'),
    photographs: fields.count('photographs'),
    analysts: fields.count('analysts'),
    surveys: fields.count('surveys'),
    versions: decodeVersions(fields.fields('versions')),
  };
}

/** Covers, each with its interval. */
export function decodeCovers(covers: JsonFields): NonNullable<ReefResult['covers']> {
  return {
    branchingCoralCover: decodeCover(covers, 'branchingCoralCover'),
    platingCoralCover: decodeCover(covers, 'platingCoralCover'),
    massiveCoralCover: decodeCover(covers, 'massiveCoralCover'),
    otherCoralCover: decodeCover(covers, 'otherCoralCover'),
    totalCoralCover: decodeCover(covers, 'totalCoralCover'),
  };
}

/** Dominant coral; null for none. */
export function decodeDominant(fields: JsonFields): ReefResult['dominantCoral'] {
  return fields.isNull('dominantCoral') ? null : fields.oneOf('dominantCoral', CORAL_CLASSES);
}

function decodeCover(covers: JsonFields, key: string): CoverEstimate {
  const fields = covers.fields(key);
  const cover = {
    value: fields.number('value', 0, 100),
    low: fields.number('low', 0, 100),
    high: fields.number('high', 0, 100),
  };
  if (cover.low > cover.value || cover.high < cover.value)
    throw refuse(covers.pathOf(key), 'has a value outside its interval');
  return cover;
}

/** Members in one order, however the object was made. */
function plainResult(result: ReefResult): ReefResult {
  const cover = ({ value, low, high }: CoverEstimate): CoverEstimate => ({ value, low, high });
  const { covers, versions } = result;
  return {
    featureId: result.featureId,
    datasetId: result.datasetId,
    year: result.year,
    covers:
      covers === null
        ? null
        : {
            branchingCoralCover: cover(covers.branchingCoralCover),
            platingCoralCover: cover(covers.platingCoralCover),
            massiveCoralCover: cover(covers.massiveCoralCover),
            otherCoralCover: cover(covers.otherCoralCover),
            totalCoralCover: cover(covers.totalCoralCover),
          },
    dominantCoral: result.dominantCoral,
    lastSurveyed: result.lastSurveyed,
    photographs: result.photographs,
    analysts: result.analysts,
    surveys: result.surveys,
    versions: { skill: versions.skill, pipeline: versions.pipeline, release: versions.release },
  };
}
