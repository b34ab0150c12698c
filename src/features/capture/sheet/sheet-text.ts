import type { PhotographStatus, PhotographView, SurveyView } from '../../../data/repositories';
import { formatChartPosition } from '../../../domain/position/format-position';
import type { WipeBlocker, WipeVerdict } from '../../../domain/custody/wipe-verdict';
import { cameraName } from '../../../domain/survey/camera-clock';
import { formatDay } from '../../../domain/survey/day';
import { askedQuestions } from '../../../domain/survey/experience';
import { logOf } from '../../../domain/survey/log';
import { surveyPosition } from '../../../domain/survey/survey';
import { recordOwner } from '../../../domain/policy/topic-policy';
import { formatCount } from '../../../base/plural';
import { missingText, placeText } from '../../custody';
import { formatMoment, formatReading } from '../camera-clock/format-times';
import { positionSourceText } from '../capture-text';

/** Field of the log as printed; an empty value was not entered. */
interface SheetField {
  readonly label: string;
  readonly value: string;
}

export interface SheetSection {
  readonly title: string;
  readonly fields: readonly SheetField[];
}

/** Name of a person by uid; empty if unknown. */
export type NameOf = (uid: string | null) => string;

/** Fields of the survey by section, in the order in which a crew asks for them. */
export function sheetSections(
  survey: SurveyView,
  photographs: readonly PhotographView[],
  regionName: string,
  nameOf: NameOf,
): readonly SheetSection[] {
  const { doc } = survey;
  const log = logOf(doc);
  const cameras = new Set(photographs.map(({ camera }) => cameraName(camera)).filter((name) => name !== null));
  const field = (label: string, value: string | null): SheetField => ({ label, value: value ?? '' });
  return [
    {
      title: 'Place',
      fields: [
        field('Reef or place', log.reef === '' ? survey.place : log.reef),
        field('Site', log.siteName),
        field('Site type', log.siteType),
        field('Region', regionName),
        field('Position', positionText(survey)),
      ],
    },
    {
      title: 'Dive',
      fields: [
        field('Date', log.date === '' ? '' : formatDay(log.date)),
        field('Time in', log.timeIn),
        field('Time of day', capitalised(log.timeofday ?? '')),
        field('Survey type', capitalised(log.type ?? '')),
        field('Duration', log.duration === null ? null : `${log.duration} min`),
        field('Visibility', log.visibility === null ? null : `${log.visibility} m`),
      ],
    },
    {
      title: 'People and cameras',
      fields: [
        field('Started by', nameOf(survey.person)),
        field('Photographs by', photographersText(photographs, nameOf)),
        field('Camera in the log', log.camera),
        field('Cameras in the files', [...cameras].join(', ')),
      ],
    },
    {
      title: 'Survey experience',
      fields: askedQuestions(log.answers).map(({ key, question }) => field(question, log.answers[key] ?? '')),
    },
  ];
}

/** Entry point of the divers, else the reef's own position; with degrees as a map program takes them. */
function positionText({ doc }: SurveyView): string {
  const { point } = logOf(doc);
  const shown = point ?? surveyPosition(doc);
  if (shown === undefined) return '';
  const degrees = `${shown.latitude.toFixed(5)}, ${shown.longitude.toFixed(5)}`;
  return `${formatChartPosition(shown)} (${degrees})${point === null ? ', of the reef' : ''}`;
}

function photographersText(photographs: readonly PhotographView[], nameOf: NameOf): string {
  const uids = [...new Set(photographs.map(({ doc }) => recordOwner(doc)))];
  const names = uids.map(nameOf).filter((name) => name !== '');
  const unnamed = uids.length - names.length;
  if (unnamed > 0) names.push(formatCount(unnamed, 'person without a name here', 'people without a name here'));
  return [...new Set(names)].join(', ');
}

const capitalised = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

/** Facts of a photograph, one line each. */
export function photographLines(photograph: PhotographView, by: string): readonly string[] {
  const { taken, position, sha256 } = photograph;
  return [
    taken.utc !== null
      ? `Taken ${formatMoment(taken.utc)}`
      : taken.camera !== null
        ? `Camera’s clock ${formatReading(taken.camera)}`
        : 'No time in the file',
    ...(position === null ? [] : [`${formatChartPosition(position)}, ${positionSourceText(position)}`]),
    ...(by === '' ? [] : [`By ${by}`]),
    `SHA-256 ${shortHash(sha256)}`,
  ];
}

/** First 16 of 64 digits in groups of four: enough to tell any two files of a voyage apart, short enough to read out. */
export function shortHash(sha256: string): string {
  return `${sha256.slice(0, 16).replace(/(.{4})(?=.)/gu, '$1 ')}…`;
}

/** The three lights in words, each with the time of its receipt; what holds a photograph up comes after them. */
export function lightsText(status: PhotographStatus | undefined): string {
  if (status === undefined) return 'Tablet: being read.';
  const { isOnTablet, isFreed, box, shore, place } = status;
  const words = [
    `Tablet: ${isOnTablet ? 'yes' : isFreed ? 'freed, preview only' : 'no'}.`,
    `Box: ${box === null ? 'no' : `${box.name}, ${formatMoment(box.storedAt)}`}.`,
    `Shore: ${shore === null ? 'no' : formatMoment(shore.storedAt)}.`,
  ];
  if (place === 'held' || place === 'missing' || place === 'lost') {
    const reason = placeText(status, new Date());
    words.push(`${capitalised(reason)}${reason.endsWith('.') ? '' : '.'}`);
  }
  return words.join(' ');
}

/** Verdict on the camera card as it may stand on paper: with the time at which it held. */
export interface PrintedVerdict {
  readonly title: string;
  readonly detail: string;
  readonly blockers: readonly string[];
}

/** @param to where photographs are sent now @param now ISO 8601 */
export function printedVerdict(
  verdict: WipeVerdict | undefined,
  to: PhotographStatus['to'],
  now: string,
): PrintedVerdict {
  const blockers: readonly WipeBlocker[] = verdict?.kind === 'keep' ? verdict.blockers : [];
  const at = formatMoment(now);
  const printed = (title: string, detail: string): PrintedVerdict => ({
    title,
    detail,
    blockers: blockers.map((blocker) => {
      const words = missingText(blocker, to);
      return `${words.title}. ${words.detail}`;
    }),
  });
  switch (verdict?.kind) {
    case undefined:
    case 'nothing':
      return printed('No card was read on this tablet', `As of ${at}.`);
    case 'safe':
      return printed(
        `Safe to wipe the card as of ${formatMoment(verdict.at)}`,
        `${verdict.boxName} then confirmed each of ${formatCount(verdict.total, 'photograph')}. Ask again if files were added to the card since.`,
      );
    case 'keep':
      return printed(`Do not wipe the card: as of ${at}`, 'What is missing:');
    case 'check-now':
    case 'check-later':
      return verdict.last === null
        ? printed(
            `Do not wipe the card: as of ${at}`,
            `Each of ${formatCount(verdict.total, 'photograph')} has a receipt; the ${to} has not confirmed ${verdict.total === 1 ? 'it' : 'them'} again.`,
          )
        : printed(
            `Safe as of ${formatMoment(verdict.last.at)}, asked of ${verdict.last.boxName}`,
            'Ask again in the app before you wipe the card.',
          );
  }
}
