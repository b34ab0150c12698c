import type { JsonObject } from '../../../domain/json';
import { isObject } from '../../../domain/json';
import { experienceAnswers } from '../../../domain/survey/experience';
import { divePosition, SURVEY_TYPES, surveyPosition } from '../../../domain/survey/survey';
import { textOr } from '../repository-context';
import type { ReportImage, ReportSurvey } from './types';

const memberOf = (of: JsonObject, name: string): JsonObject => (isObject(of[name]) ? (of[name] as JsonObject) : {});
const countOr = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

/** Survey of an answer; null if it is not one. Members of the wrong type are left out. */
export function parseReportSurvey(value: unknown): ReportSurvey | null {
  if (!isObject(value)) return null;
  const survey = value as JsonObject;
  const id = textOr(survey['id'], '');
  if (id === '') return null;
  const loc = memberOf(survey, 'loc');
  const images = survey['images'];
  return {
    id,
    name: textOr(survey['name'], textOr(loc['name'], '')),
    date: textOr(survey['date'], null) || null,
    time: textOr(survey['timeIn'], null) || textOr(survey['timeofday'], null) || null,
    type: SURVEY_TYPES.find((type) => type === (survey['type'] ?? memberOf(survey, 'site')['type'])) ?? null,
    duration: countOr(survey['duration']),
    camera: textOr(survey['camera'], null) || null,
    siteName: textOr(memberOf(survey, 'site')['name'], textOr(loc['name'], null)) || null,
    position: divePosition(survey) ?? surveyPosition(survey) ?? null,
    images: countOr(memberOf(memberOf(survey, 'meta'), 'images')['total']) ?? countOr(images) ?? imagesAboard(images),
    experience: experienceAnswers(survey['experience']),
    isAboardOnly: survey['isNotYetPublic'] === true,
  };
}

/** Number of photographs by a box, which counts those that are there and ashore. */
function imagesAboard(images: unknown): number | null {
  return isObject(images) ? countOr(images['total']) : null;
}

/** Photograph of an answer; null if it is not one. */
export function parseReportImage(value: unknown): ReportImage | null {
  if (!isObject(value)) return null;
  const image = value as JsonObject;
  const id = textOr(image['id'], '');
  if (id === '') return null;
  const meta = memberOf(image, 'meta');
  const camera = memberOf(meta, 'camera');
  const [token, url] = [textOr(image['token'], ''), textOr(image['url'], '')];
  return {
    id,
    surveyId: textOr(memberOf(image, 'survey')['id'], ''),
    name: textOr(image['path'], ''),
    taken: textOr(meta['taken'], null) || null,
    camera: cameraName(textOr(camera['make'], ''), textOr(camera['model'], '')),
    copyright: textOr(image['copyright'], null) || null,
    path: /^[\w-]{1,200}$/.test(token) && /^[\w.-]{1,200}$/.test(url) ? `${token}/${url}` : null,
  };
}

/** Make and model; many models repeat their make. */
function cameraName(make: string, model: string): string | null {
  if (make === '' && model === '') return null;
  return model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`.trim();
}
