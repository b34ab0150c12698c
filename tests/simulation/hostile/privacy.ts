import type { Json, JsonObject } from '../../../src/domain/json';
import type { OpKind } from '../../../src/domain/op/op';

const MARK = 'Private text of ';

/** Private text of a survey or a profile. */
function markOf(id: string): string {
  return `${MARK}${id}.`;
}

/** True for three in four surveys. */
function isPrivate(surveyId: string): boolean {
  return [...surveyId].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 4 > 0;
}

/** Body of honest work with private text: all of a profile, and all that belongs to a private survey. */
export function withMark(kind: OpKind, body: JsonObject): JsonObject {
  if (kind === 'profile') return { ...body, notes: markOf(String(body['uid'])) };
  const survey = kind === 'survey' ? body : (body['survey'] as JsonObject | undefined);
  const id = survey?.['id'];
  if (typeof id !== 'string' || !isPrivate(id)) return body;
  return { ...body, notes: markOf(id), ...(kind === 'survey' ? { private: true } : {}) };
}

/** Ids of the surveys and profiles whose private text an answer contains. */
export function marksIn(answer: unknown): readonly string[] {
  const text = JSON.stringify(answer) ?? '';
  return [...new Set([...text.matchAll(/Private text of (\w+)\./g)].map(([, id]) => id as string))];
}

/** Copy of what the party read, so that its own operations never look private. */
export function withoutMarks<Value extends Json | JsonObject>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(MARK, 'Stolen text of ')) as Value;
}
