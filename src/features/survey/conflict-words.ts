import type { Json } from '../../domain/json';
import { positionWords } from '../../domain/position';
import { dayWords } from '../../domain/survey/day';
import { EXPERIENCE_QUESTIONS, experienceAnswers } from '../../domain/survey/experience';
import { logOf } from '../../domain/survey/log';

const FIELD_WORDS: Readonly<Record<string, string>> = {
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
  isDeleted: 'Whether it is deleted',
  deletedAt: 'When it was deleted',
};

/** A field of the document as a person calls it. */
export function fieldWords(field: string): string {
  return FIELD_WORDS[field] ?? field;
}

/** A field's value as a person reads it. */
export function valueWords(field: string, value: Json): string {
  if (value === null || value === '') return 'nothing';
  const log = logOf({ [field]: value });
  switch (field) {
    case 'date':
      return dayWords(log.date);
    case 'duration':
      return `${String(value)} min`;
    case 'visibility':
      return `${String(value)} m`;
    case 'loc':
      return log.reef === '' ? 'a place without a name' : log.reef;
    case 'site':
      return [log.siteName, log.siteType, log.point === null ? '' : positionWords(log.point)].filter((word) => word !== '' && word !== null).join(', ') || 'nothing';
    case 'experience': {
      const answers = experienceAnswers(value);
      return EXPERIENCE_QUESTIONS.flatMap(({ key }) => answers[key] ?? []).join('; ') || 'nothing';
    }
    case 'isDeleted':
      return value === true ? 'deleted' : 'kept';
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}
