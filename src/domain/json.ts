import { ReefError } from './errors';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** Deepest nesting accepted from a wire. Real records stay below ten; only attacks go deeper. */
export const MAX_JSON_DEPTH = 64;

/**
 * Checks that an external value is JSON that every node can store and hash the same way: finite numbers, well-formed
 * strings (no lone surrogate), no key `__proto__`, at most {@link MAX_JSON_DEPTH} levels.
 *
 * @param value from a parser or socket
 * @param field name for the error, such as `body`
 * @throws ReefError `bad-message` with `{field}` of the location
 */
export function checkJson(value: unknown, field: string): asserts value is Json {
  check(value, field, 0);
}

function check(value: unknown, field: string, depth: number): void {
  if (depth > MAX_JSON_DEPTH) throw refuse(field, `is nested more than ${MAX_JSON_DEPTH} levels deep`);
  switch (typeof value) {
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(value)) throw refuse(field, 'is not a finite number');
      return;
    case 'string':
      if (!value.isWellFormed()) throw refuse(field, 'holds half a character (a lone surrogate)');
      return;
    case 'object':
      if (value === null) return;
      if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) check(value[i], `${field}[${i}]`, depth + 1);
        return;
      }
      checkObject(value, field, depth);
      return;
    default:
      throw refuse(field, `is a ${typeof value}, which JSON does not have`);
  }
}

function checkObject(value: object, field: string, depth: number): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw refuse(field, 'is not plain JSON');
  for (const [key, entry] of Object.entries(value)) {
    if (key === '__proto__') throw refuse(field, 'has a key "__proto__"');
    if (!key.isWellFormed()) throw refuse(field, 'has a key with half a character (a lone surrogate)');
    check(entry, `${field}.${key}`, depth + 1);
  }
}

function refuse(field: string, why: string): ReefError {
  const name = field.length > 80 ? `${field.slice(0, 80)}…` : field;
  return new ReefError('bad-message', { message: `${name} ${why}.`, field: name });
}

/** True for a plain object (not null, not an array). */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
