import { ReefError } from '../../errors';
import { isObject } from '../../json';

/**
 * Reader of one JSON object: each method returns a member or throws. Written by hand: the files are read before the
 * schemas load, and a table has 50,000 values.
 *
 * Methods throw ReefError `bad-message` with `{field}`, the path of the member.
 */
export class JsonFields {
  readonly #object: { readonly [key: string]: unknown };
  readonly #path: string;

  constructor(value: unknown, path: string) {
    if (!isObject(value)) throw refuse(path, 'must be an object');
    this.#object = value;
    this.#path = path;
  }

  /** Text of at most `max` characters. */
  text(key: string, max = 1000): string {
    return checkText(this.#object[key], this.pathOf(key), max);
  }

  textOrNull(key: string, max = 1000): string | null {
    return this.isNull(key) ? null : this.text(key, max);
  }

  isNull(key: string): boolean {
    return this.#object[key] === null;
  }

  number(key: string, min: number, max: number): number {
    return checkNumber(this.#object[key], this.pathOf(key), min, max);
  }

  /** Whole number from `min`. */
  count(key: string, min = 0): number {
    return checkCount(this.#object[key], this.pathOf(key), min);
  }

  /** Whole number from 0, or null. */
  countOrNull(key: string): number | null {
    return this.isNull(key) ? null : this.count(key);
  }

  box(key: string): Box {
    return checkBox(this.#object[key], this.pathOf(key));
  }

  /** One of these texts. */
  oneOf<T extends string>(key: string, texts: readonly T[]): T {
    const value = this.#object[key];
    const found = texts.find((text) => text === value);
    if (found === undefined) throw refuse(this.pathOf(key), `must be one of ${texts.join(', ')}`);
    return found;
  }

  /** Items of a list; `read` gets each with its path. */
  list<T>(key: string, read: (item: unknown, path: string) => T): readonly T[] {
    const value = this.#object[key];
    const path = this.pathOf(key);
    if (!Array.isArray(value)) throw refuse(path, 'must be a list');
    return value.map((item: unknown, i) => read(item, `${path}[${i}]`));
  }

  /** Member that is an object, or null. */
  fieldsOrNull(key: string): JsonFields | null {
    return this.isNull(key) ? null : this.fields(key);
  }

  fields(key: string): JsonFields {
    return new JsonFields(this.#object[key], this.pathOf(key));
  }

  names(): readonly string[] {
    return Object.keys(this.#object);
  }

  pathOf(key: string): string {
    return `${this.#path}.${key}`;
  }

  /**
   * Checks `version`. @throws ReefError `unsupported-version` if a newer program wrote the file
   */
  checkVersion(known: number): void {
    const version = this.count('version', 1);
    if (version > known)
      throw new ReefError('unsupported-version', {
        message: `${this.#path} has version ${version}; this app reads up to version ${known}. Reload the app to update it.`,
        field: this.pathOf('version'),
      });
  }
}

export function checkText(value: unknown, path: string, max = 1000): string {
  if (typeof value !== 'string') throw refuse(path, 'must be a text');
  if (value.length > max) throw refuse(path, `must have at most ${max} characters`);
  return value;
}

export function checkNumber(value: unknown, path: string, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse(path, 'must be a number');
  if (value < min || value > max) throw refuse(path, `must be within ${min} to ${max}, not ${value}`);
  return value;
}

export function checkCount(value: unknown, path: string, min = 0): number {
  if (!Number.isInteger(checkNumber(value, path, min, Number.MAX_SAFE_INTEGER)))
    throw refuse(path, `must be a whole number, not ${String(value)}`);
  return value as number;
}

/** West, south, east, north in degrees; west > east crosses the 180th meridian. */
type Box = readonly [west: number, south: number, east: number, north: number];

export function checkBox(value: unknown, path: string): Box {
  if (!Array.isArray(value) || value.length !== 4) throw refuse(path, 'must have four numbers');
  const at = (i: number, max: number): number => checkNumber(value[i], `${path}[${i}]`, -max, max);
  const box: Box = [at(0, 180), at(1, 90), at(2, 180), at(3, 90)];
  if (box[1] > box[3]) throw refuse(path, 'must have its south below its north');
  return box;
}

export function refuse(path: string, why: string): ReefError {
  return new ReefError('bad-message', { message: `${path} ${why}.`, field: path });
}
