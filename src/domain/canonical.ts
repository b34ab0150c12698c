import type { Json, JsonObject } from './json';

/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code units, no white space, ECMAScript number format. Equal values
 * have equal text on every node, so its hash identifies the value. `undefined` members are omitted.
 *
 * @throws TypeError for a number that is not finite
 */
export function canonicalJson(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`canonical JSON cannot hold ${value}`);
      return JSON.stringify(value);
    case 'boolean':
    case 'string':
      return JSON.stringify(value);
    default:
      return isArray(value) ? `[${value.map(canonicalJson).join(',')}]` : canonicalObject(value);
  }
}

/** Number of values that a comparison has looked at. */
interface ComparisonWork {
  values: number;
}

/**
 * True if two values have the same canonical JSON. Much cheaper than two texts, and ends at the first difference.
 *
 * @param work its count grows by the values compared
 */
export function equalJson(a: Json | undefined, b: Json | undefined, work: ComparisonWork = { values: 0 }): boolean {
  work.values += 1;
  if (a === b) return true;
  if (a === undefined || a === null || b === undefined || b === null) return (a ?? null) === (b ?? null);
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (isArray(a) || isArray(b)) {
    return isArray(a) && isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i], work));
  }
  return equalObjects(a, b, work);
}

function equalObjects(a: JsonObject, b: JsonObject, work: ComparisonWork): boolean {
  let left = 0;
  for (const value of Object.values(b)) if (value !== undefined) left += 1;
  for (const key of Object.keys(a)) {
    const member = a[key];
    if (member === undefined) continue;
    left -= 1;
    if (!Object.hasOwn(b, key) || b[key] === undefined || !equalJson(member, b[key], work)) return false;
  }
  return left === 0;
}

function isArray(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

function canonicalObject(value: { readonly [key: string]: Json | undefined }): string {
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
