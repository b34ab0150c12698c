import { z } from 'zod';
import type { PersonId } from '../../../src/domain/ids';
import { idSchema } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import { LIMITS } from '../../../src/domain/limits';

/** Reader, with the facts that reads need. */
export interface Reader {
  readonly person: PersonId | null;
  readonly node: string | null;
  readonly isSignedIn: boolean;
  readonly isStaff: boolean;
  /** A tablet that was revoked. */
  readonly isRevoked?: boolean;
}

/** Statement that returns one row with one column, `answer`; see {@link answerColumn}. */
export interface ReadStatement {
  /** Name under which each connection prepares it; one text per name. */
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/**
 * Column of every read: the whole answer as JSON text, so that long texts need no further processing here.
 *
 * @param items an aggregate of the documents' texts, separated by commas
 * @param next an expression for the next cursor, null if the answer is not full
 */
export function answerColumn(items: string, next = 'NULL::text'): string {
  return `'{"ok":true,"items":[' || coalesce(${items}, '') || '],"next":' || coalesce(to_json(${next})::text, 'null') || '}' AS answer`;
}

/**
 * Rows of a page up to the bytes of a page of the feed, at least one: a reader asks for a thousand records of 2 MB.
 *
 * @param page a query whose column `shown` is the text of an item
 */
export function sized(page: string, order: string): string {
  return `(SELECT * FROM (SELECT page.*, row_number() OVER w AS place, sum(octet_length(shown)) OVER w AS total, count(*) OVER () AS found FROM (${page}) page WINDOW w AS (ORDER BY ${order})) placed WHERE place = 1 OR total <= ${LIMITS.changesBytesMax}) sized`;
}

/** Condition: the page of {@link sized} rows is full, so there may be more. */
export function hasMore(most: string): string {
  return `max(found) = ${most} OR count(*) < max(found)`;
}

/** Names by text: a read has few variants (its conditions), so each is prepared once a connection. */
const names = new Map<string, string>();

export function prepare(name: string, text: string, values: unknown[]): ReadStatement {
  let known = names.get(text);
  if (known === undefined) {
    known = `${name}-${names.size + 1}`;
    names.set(text, known);
  }
  return { name: known, text, values };
}

/** Builds an item from a statement's result; null for none. @param links addresses of a photograph's pictures (1§3 `token`, `url`) */
type ItemShape = (item: JsonObject, links: ((imageId: string) => JsonObject) | undefined) => JsonObject | null;

export interface ReadDefinition {
  /** Audience; `signed`: a person, a tablet, a box or staff. */
  readonly audience: 'anyone' | 'signed' | 'staff';
  readonly params: z.ZodType;
  statement(params: unknown, reader: Reader): ReadStatement;
  /** Builder for items made of several documents, which are few. */
  readonly shape?: ItemShape;
}

/** Binds a read's parameter schema to its statement. */
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

/**
 * SQL condition for surveys the reader may see: open ones, and private ones with a grant or for staff. @param survey
 * alias of its row
 */
export function accessCondition(conditions: Conditions, reader: Reader, survey: string): string {
  if (reader.isStaff) return 'true';
  const subjects = [
    ...(reader.person === null ? [] : [`person:${reader.person}`]),
    ...(reader.node === null ? [] : [`node:${reader.node}`]),
  ];
  return `(NOT ${survey}.private OR EXISTS (SELECT 1 FROM grants g WHERE g.topic = ${survey}.doc_id AND g.subject = ANY(${conditions.value(subjects)}::text[])))`;
}

const LIMIT_MAX = 1000;

export const dayParam = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'is not a day (YYYY-MM-DD)');
export const timeParam = z.string().regex(/^\d{4}-\d{2}-\d{2}(T[0-9:.]{5,12}Z)?$/, 'is not a day or a UTC time');
export const nameParam = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\u0000]*$/, 'holds a character that no name has');
export const idParam = idSchema;
const CURSOR_TEXT = 'is not a valid cursor';
/** Cursor: `next` of the previous answer. */
export const cursorParam = z
  .string()
  .max(300)
  .regex(/^[^\u0000~]*~[^\u0000~]*$/, CURSOR_TEXT)
  .optional();
/** Cursor that begins with a count. */
export const countCursorParam = cursorParam.refine(
  (cursor) => cursor === undefined || /^\d{1,9}~/.test(cursor),
  CURSOR_TEXT,
);
/** Cursor that begins with a share, 0..1. */
export const shareCursorParam = cursorParam.refine(
  (cursor) => cursor === undefined || /^\d(?:\.\d{1,20})?(?:e-\d{1,3})?~/.test(cursor),
  CURSOR_TEXT,
);

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

export function parseCursor(after: string | undefined): [string, string] | undefined {
  if (after === undefined) return undefined;
  const at = after.indexOf('~');
  return [after.slice(0, at), after.slice(at + 1)];
}

export class Conditions {
  readonly values: unknown[] = [];
  readonly #texts: string[];

  constructor(...always: string[]) {
    this.#texts = [...always];
  }

  /** Adds a condition if there is a value; `?` stands for it. */
  add(text: string, value: unknown): this {
    if (value !== undefined) this.#texts.push(text.replaceAll('?', this.value(value)));
    return this;
  }

  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  get text(): string {
    return this.#texts.join(' AND ');
  }
}
