import { z } from 'zod';

/** Wrong value in the environment: the message is one line that names the variable. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Exit code for a wrong setting: a supervisor does not retry. */
export const EXIT_SETTINGS = 2;

/** Optional value; an empty one counts as missing. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

export const webUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http or https address')
  .transform((text) => new URL(text));

/** Origins separated by commas or spaces. */
export const origins = z.string().transform((text, context) => {
  const list = text.split(/[\s,]+/).filter((entry) => entry !== '');
  for (const entry of list) {
    if (!URL.canParse(entry) || new URL(entry).origin === 'null') {
      context.addIssue({
        code: 'custom',
        message: `must be origins such as https://reef.example, with commas between; "${entry.slice(0, 60)}" is not one`,
      });
    }
  }
  return list.map((entry) => (URL.canParse(entry) ? new URL(entry).origin : entry));
});

export const numberFrom = (schema: z.ZodNumber) =>
  z
    .string()
    .regex(/^\s*[0-9]+(\.[0-9]+)?\s*$/, 'must be a number')
    .transform(Number)
    .pipe(schema);

/**
 * Checks the environment.
 *
 * @throws SettingsError with one line for the first wrong value
 */
export function readEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): z.infer<Schema> {
  const checked = schema.safeParse(environment);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  throw new SettingsError(`${String(issue?.path[0])}: ${issue?.message ?? 'is not right'}.`);
}

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
