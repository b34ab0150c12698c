import { isObject, type Json } from '../../../domain/json';
import { WHOLE } from '../../../domain/op/op';
import { formatChartPosition } from '../../../domain/position/format-position';
import { formatClockError, parseClocks } from '../../../domain/survey/camera-clock';
import { formatDay } from '../../../domain/survey/day';
import { EXPERIENCE_QUESTIONS, experienceAnswers } from '../../../domain/survey/experience';
import { logOf } from '../../../domain/survey/log';

const FIELD_LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  date: 'Date',
  timeIn: 'Time in',
  timeofday: 'Time of day',
  loc: 'Reef or place',
  site: 'Site',
  type: 'Survey type',
  duration: 'Duration',
  visibility: 'Visibility',
  camera: 'Camera',
  experience: 'Survey experience',
  cameraClocks: 'Camera clock',
  isDeleted: 'Deletion',
  deletedAt: 'Time of deletion',
  // Photograph
  path: 'Name',
  position: 'Where it was taken',
  order: 'Order among the photographs',
  keptAsIs: 'Kept as it is',
  boxClock: 'Box’s clock in the picture',
  meta: 'Camera data',
  copyright: 'Copyright',
  // Person
  email: 'Email',
  org: 'Organisation',
  optin: 'Email consent',
  additionalInfo: 'Other answers',
};

export function fieldLabel(field: string): string {
  if (field === WHOLE) return 'Whole record';
  // Fields of newer apps: their own name, made readable.
  return FIELD_LABELS[field] ?? field.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/^./, (first) => first.toUpperCase());
}

const COUNTS = ['No', 'One', 'Two', 'Three', 'Four', 'Five'];

/** Question such as "Two answers for duration. Which is right?" */
export function conflictQuestion({
  field,
  others,
}: {
  readonly field: string;
  readonly others: readonly unknown[];
}): string {
  const count = others.length + 1;
  const label = fieldLabel(field);
  return `${COUNTS[count] ?? count} answers for ${label.charAt(0).toLowerCase()}${label.slice(1)}. Which is right?`;
}

export function formatFieldValue(field: string, value: Json): string {
  if (value === null || value === '') return 'nothing';
  const log = logOf({ [field]: value });
  switch (field) {
    case 'date':
      return formatDay(log.date);
    case 'duration':
      return `${String(value)} min`;
    case 'visibility':
      return `${String(value)} m`;
    case 'loc':
      return log.reef === '' ? 'an unnamed place' : log.reef;
    case 'site':
      return (
        [log.siteName, log.siteType, log.point === null ? '' : formatChartPosition(log.point)]
          .filter((word) => word !== '' && word !== null)
          .join(', ') || 'nothing'
      );
    case 'experience': {
      const answers = experienceAnswers(value);
      return EXPERIENCE_QUESTIONS.flatMap(({ key }) => answers[key] ?? []).join('; ') || 'nothing';
    }
    case 'type':
      return log.type === null ? formatAny(value) : log.type === 'scuba' ? 'Scuba' : 'Snorkel';
    case 'cameraClocks':
      return formatClocks(value);
    case 'position':
      return formatPoint(value);
    case 'order':
      return 'where this person placed it';
    case 'isDeleted':
      return value === true ? 'deleted' : 'not deleted';
    default:
      return formatAny(value);
  }
}

function formatClocks(value: Json): string {
  const clocks = parseClocks(value);
  // Uses the tablet's zone: cameras are set to local time.
  const words = clocks.map(
    ({ camera, offsetMs }) =>
      `${camera ?? 'all cameras'} ${formatClockError(offsetMs, -new Date().getTimezoneOffset())}`,
  );
  return words.length === 0 ? 'no clock set' : words.join(', ');
}

function formatPoint(value: Json): string {
  if (!isObject(value)) return formatAny(value);
  const { latitude, longitude } = value;
  return typeof latitude === 'number' && typeof longitude === 'number'
    ? formatChartPosition({ latitude, longitude })
    : formatAny(value);
}

/** Formats any value as names and values without code syntax. */
function formatAny(value: Json): string {
  if (value === null || value === '') return 'nothing';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value))
    return value.length === 0 ? 'nothing' : value.map((item) => formatAny(item as Json)).join(', ');
  if (!isObject(value)) return String(value);
  const { first, last } = value;
  if (typeof first === 'string' || typeof last === 'string')
    return [first, last].filter((part) => typeof part === 'string' && part !== '').join(' ') || 'nothing';
  const parts = Object.entries(value).map(
    ([name, part]) => `${fieldLabel(name).toLowerCase()} ${formatAny(part as Json)}`,
  );
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
