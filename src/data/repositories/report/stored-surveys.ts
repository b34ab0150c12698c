import type { ReportCache } from '../../cache/report-cache';
import type { RepositoryContext } from '../repository-context';
import { parseItems } from './report-answers';
import { picturesOf } from './report-pictures';
import { parseReportImage, parseReportSurvey } from './report-surveys';
import type { ReportImage, ReportSurvey } from './types';

/** Surveys of a stored answer; none if it cannot be read. */
export async function storedSurveys(cache: ReportCache, key: string): Promise<readonly ReportSurvey[]> {
  return parsed((await cache.getAnswer(key))?.text, parseReportSurvey);
}

/**
 * Deletes photographs and pictures of surveys that an answer no longer has: they were deleted, or became private.
 *
 * @param userKey key of an answer for the current user alone
 */
export async function forgetSurveys(
  parts: Pick<RepositoryContext, 'person'>,
  cache: ReportCache,
  stored: readonly ReportSurvey[],
  fresh: readonly ReportSurvey[],
  userKey: (query: string) => string,
): Promise<void> {
  const staying = new Set(fresh.map(({ id }) => id));
  for (const { id } of stored) {
    if (staying.has(id)) continue;
    const key = userKey(`images ${id}`);
    await forgetImages(parts, cache, parsed((await cache.getAnswer(key))?.text, parseReportImage), []);
    await cache.deleteAnswers([key]);
  }
}

/** Deletes pictures of photographs that an answer no longer has. */
export async function forgetImages(
  parts: Pick<RepositoryContext, 'person'>,
  cache: ReportCache,
  stored: readonly ReportImage[],
  fresh: readonly ReportImage[],
): Promise<void> {
  const staying = new Set(fresh.map(({ id }) => id));
  for (const { id } of stored) if (!staying.has(id)) await cache.deletePictures(picturesOf(parts, id));
}

function parsed<Item>(text: string | undefined, parse: (value: unknown) => Item | null): readonly Item[] {
  try {
    return text === undefined ? [] : parseItems(text, parse);
  } catch (_unreadable) {
    return [];
  }
}
