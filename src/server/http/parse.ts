import type { z } from 'zod';
import { ReefError } from '../../domain/errors';
import { checkJson } from '../../domain/json';
import { VALIDATION_MESSAGES } from '../../domain/messages';

/** Sentences of 1§5, which are said as they are, without the name of the field. */
const SENTENCES: ReadonlySet<unknown> = new Set(Object.values(VALIDATION_MESSAGES));

/**
 * Validates input: its shape, then that it is JSON that every node can store. The shape comes first, so that nothing
 * walks a large value of another one.
 *
 * @param what name of the input in an error that concerns no member
 * @throws ReefError `bad-message` {field}
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, what = 'body'): z.infer<Schema> {
  const parsed = parseForm(schema, value, what);
  checkJson(value ?? null, what);
  return parsed;
}

/**
 * Validates only the shape, when the parts are checked one by one so that a bad one does not spoil the others.
 *
 * @throws ReefError `bad-message` {field}
 */
export function parseForm<Schema extends z.ZodType>(schema: Schema, value: unknown, what = 'body'): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = (issue?.path ?? []).map(String).join('.') || what;
  const text = issue?.message ?? 'is not right';
  throw new ReefError('bad-message', { field, message: SENTENCES.has(text) ? text : `${field}: ${text}.` });
}
