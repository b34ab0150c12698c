import { ReefError } from '../../../domain/errors';
import { isObject, type JsonObject } from '../../../domain/json';
import { recordOwner } from '../../../domain/policy/topic-policy';
import type { RepositoryContext } from '../repository-context';
import { askEdge } from './report-answers';
import { parseReportSurvey } from './report-surveys';
import type { ReportSurvey } from './types';

type EdgeAnswer = Awaited<ReturnType<typeof askEdge>>;

/**
 * Asks the box for the surveys of a reef.
 *
 * @returns null if no box answers
 * @throws ReefError from the box; `unauthorised` {field: 'pairing'} if a box serves this page and the tablet is not paired
 */
export async function surveysAboard(
  parts: RepositoryContext,
  featureId: string,
  isBoxPage: () => boolean,
): Promise<EdgeAnswer> {
  if (isBoxPage() && parts.opIndex.edges.length === 0)
    throw new ReefError('unauthorised', {
      field: 'pairing',
      message: 'The box shows the surveys of this vessel to paired tablets.',
    });
  return askEdge(parts, `/edge/surveys?${new URLSearchParams({ featureId })}`);
}

/**
 * Asks the box for the photographs of a survey.
 *
 * @returns null if no box answers, it has none of the survey, or it is too old to list them
 * @throws ReefError from the box
 */
export async function imagesAboard(parts: RepositoryContext, surveyId: string): Promise<EdgeAnswer> {
  try {
    const answer = await askEdge(parts, `/edge/images?${new URLSearchParams({ surveyId })}`);
    return answer?.text.trim() === '[]' ? null : answer;
  } catch (error) {
    if (error instanceof ReefError && error.code === 'not-found') return null;
    throw error;
  }
}

/** Survey of a box's answer on a reef; null for one that the current user may not see, or on another reef. */
export function parseVesselSurvey(
  { access, person }: Pick<RepositoryContext, 'access' | 'person'>,
  featureId: string,
  value: unknown,
): ReportSurvey | null {
  if (!isObject(value)) return null;
  const { loc, user, id, private: isPrivate } = value as JsonObject;
  // An older box answers with all of its surveys.
  if (!isObject(loc) || loc['id'] !== featureId || typeof id !== 'string') return null;
  const owner = recordOwner({ user: user ?? null });
  if (!access.canSeeRemoteSurvey(id, owner)) return null;
  if (isPrivate === true && owner !== person.get()?.uid) return null;
  return parseReportSurvey(value);
}
