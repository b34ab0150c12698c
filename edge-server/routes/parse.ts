import type { z } from 'zod';
import { ReefError } from '../../src/domain/errors';
import { checkJson } from '../../src/domain/json';

/**
 * Checks what came with a request.
 *
 * @throws ReefError `bad-message` {field}
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, what = 'body'): z.infer<Schema> {
  checkJson(value ?? null, what);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = (issue?.path ?? []).map(String).join('.') || what;
  throw new ReefError('bad-message', { field, message: `${field}: ${issue?.message ?? 'is not right'}.` });
}
