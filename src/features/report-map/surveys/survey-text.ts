import type { ReportImage, ReportSurvey } from '../../../data/repositories';
import { formatCount } from '../../../base/plural';
import { formatPosition } from '../../../domain/position/format-position';
import { askedQuestions } from '../../../domain/survey/experience';
import { bandOf } from '../../../domain/survey/log';
import { UNKNOWN } from './survey-name';

/** `Scuba`, `Snorkel` */
export function typeText({ type }: ReportSurvey): string {
  return type === null ? UNKNOWN : capitalised(type);
}

/** 3§9 "Time-of-day bands": `Late morning, 10:40`, or the band alone. */
export function timeText({ time }: ReportSurvey): string {
  if (time === null) return UNKNOWN;
  const band = bandOf(time);
  return band === undefined ? capitalised(time) : `${capitalised(band)}, ${time}`;
}

export function durationText({ duration }: ReportSurvey): string {
  return duration === null ? UNKNOWN : `${formatCount(Math.round(duration), 'minute')}`;
}

/** Camera of the log, else of the photographs. */
export function cameraText({ camera }: ReportSurvey, images: readonly ReportImage[] | null): string {
  const known = camera ?? images?.find((image) => image.camera !== null)?.camera ?? null;
  return known ?? UNKNOWN;
}

export function positionText({ position }: ReportSurvey): string {
  return position === null ? UNKNOWN : (formatPosition(position.latitude, position.longitude) ?? UNKNOWN);
}

export function siteText({ siteName, name }: ReportSurvey): string {
  return siteName ?? (name === '' ? UNKNOWN : name);
}

/** Title of a survey's card: its name, else its site. */
export function surveyTitle(survey: ReportSurvey): string {
  return survey.name === '' ? siteText(survey) : survey.name;
}

/** Questions of the survey experience that were answered, with the answers. */
export function experienceText({
  experience,
}: ReportSurvey): readonly { readonly question: string; readonly answer: string }[] {
  return askedQuestions(experience).flatMap(({ key, question }) => {
    const answer = experience[key];
    return answer === undefined ? [] : [{ question, answer }];
  });
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
