import { z } from 'zod';
import { idSchema } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import type { Reader } from './reads';

/** A statement that gives one row with one column, `answer`; see {@link answerColumn}. */
export interface ReadStatement {
  /** Prepared once a connection under this name; the same text always. */
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/**
 * The column that every read gives: the whole answer as the text of its JSON. What is put together there needs no further
 * handling of long texts here.
 *
 * @param items an aggregate of the documents' texts, separated by commas
 * @param next an expression that says where to go on from, null where the answer is not full
 */
export function answerColumn(items: string, next = 'NULL::text'): string {
  return `'{"ok":true,"items":[' || coalesce(${items}, '') || '],"next":' || coalesce(to_json(${next})::text, 'null') || '}' AS answer`;
}

/** Names by text: a read has few texts (which conditions it was asked with), so each is prepared once a connection. */
const names = new Map<string, string>();

/** @param name of the read */
export function prepare(name: string, text: string, values: unknown[]): ReadStatement {
  let known = names.get(text);
  if (known === undefined) {
    known = `${name}-${names.size + 1}`;
    names.set(text, known);
  }
  return { name: known, text, values };
}

/** Makes an item of what a statement gave. @param links where a photograph's pictures are found (1§3 `token`, `url`) */
export type ItemShape = (item: JsonObject, links: ((imageId: string) => JsonObject) | undefined) => JsonObject;

export interface ReadDefinition {
  /** `signed`: a person, a tablet, a box or staff. */
  readonly audience: 'anyone' | 'signed' | 'staff';
  readonly params: z.ZodType;
  statement(params: unknown, reader: Reader): ReadStatement;
  /** For items that are made of several documents: they are few. */
  readonly shape?: ItemShape;
}

/** Binds the form of a read's parameters to the function that takes them. */
export function defineRead<Schema extends z.ZodType>(
  audience: ReadDefinition['audience'],
  params: Schema,
  statement: (params: z.infer<Schema>, reader: Reader) => ReadStatement,
  shape?: ItemShape,
): ReadDefinition {
  return {
    audience,
    params,
    statement: (given, reader) => statement(given as z.infer<Schema>, reader),
    ...(shape === undefined ? {} : { shape }),
  };
}

/** A survey that is private is seen by those it was given to see, and by staff. @param survey the name of its row */
export function accessCondition(conditions: Conditions, reader: Reader, survey: string): string {
  if (reader.isStaff) return 'true';
  const subjects = [
    ...(reader.person === null ? [] : [`person:${reader.person}`]),
    ...(reader.node === null ? [] : [`node:${reader.node}`]),
  ];
  return `(NOT ${survey}.private OR EXISTS (SELECT 1 FROM grants g WHERE g.topic = ${survey}.doc_id AND g.subject = ANY(${conditions.value(subjects)}::text[])))`;
}

/** Most items of one answer. */
const LIMIT_MAX = 1000;

export const dayParam = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'is not a day (YYYY-MM-DD)');
export const timeParam = z.string().regex(/^\d{4}-\d{2}-\d{2}(T[0-9:.]{5,12}Z)?$/, 'is not a day or a UTC time');
export const nameParam = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\u0000]*$/, 'holds a character that no name has');
export const idParam = idSchema;
/** Where to go on: what the answer before gave as `next`. */
export const cursorParam = z
  .string()
  .max(300)
  .regex(/^[^\u0000~]*~[^\u0000~]*$/, 'is no place to go on from')
  .optional();

export function limitParam(byDefault: number): z.ZodType<number> {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^[0-9]{1,6}$/.test(value) ? Number(value) : value),
    z.int().min(1).max(LIMIT_MAX).default(byDefault),
  ) as z.ZodType<number>;
}

/** One or more values, as `name=a&name=b` or `name=a,b`. */
export function listParam(each: z.ZodType<string>, most: number): z.ZodType<string[]> {
  return z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',') : value),
    z.array(each).min(1).max(most, `holds more than ${most}`),
  ) as z.ZodType<string[]>;
}

/** The two parts of {@link cursorParam}. */
export function parseCursor(after: string | undefined): [string, string] | undefined {
  if (after === undefined) return undefined;
  const at = after.indexOf('~');
  return [after.slice(0, at), after.slice(at + 1)];
}

/** Collects the conditions of a statement and the values that they name. */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #texts: string[];

  constructor(...always: string[]) {
    this.#texts = [...always];
  }

  /** Adds a condition where there is a value; `?` stands for it. */
  add(text: string, value: unknown): this {
    if (value !== undefined) this.#texts.push(text.replaceAll('?', this.value(value)));
    return this;
  }

  /** A further value; gives its place in the statement. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  get text(): string {
    return this.#texts.join(' AND ');
  }
}
