import type { z } from 'zod';
import type { JsonObject } from './json';
import { isObject } from './json';

/** Brings a body of the version before to `to`. Pure; unknown fields pass through. */
export interface Migration {
  readonly to: number;
  readonly up: (body: JsonObject) => JsonObject;
}

/** What a kind of record is: the version that is written, how older ones become it, and its schema. */
export interface RecordDefinition<Schema extends z.ZodType> {
  /** What `schema` of an operation says. Version 1 is the first. */
  readonly version: number;
  /** In rising order, one for each version from 2 on. */
  readonly migrations: readonly Migration[];
  readonly schema: Schema;
}

/** What reading a record gives. A record that a newer app wrote is shown as far as it is understood; none is dropped. */
export type ReadRecord<T> =
  | { readonly status: 'ready'; readonly record: T }
  | { readonly status: 'unreadable'; readonly raw: unknown; readonly problems: readonly string[] };

/**
 * Reads a record of any version up to the one written now, or a newer one as it is.
 *
 * @param version what the operation said; absent: the one written now
 */
export function readRecord<Schema extends z.ZodType>(
  definition: RecordDefinition<Schema>,
  raw: unknown,
  version = definition.version,
): ReadRecord<z.output<Schema>> {
  const checked = definition.schema.safeParse(isObject(raw) ? migrate(definition, raw as JsonObject, version) : raw);
  if (checked.success) return { status: 'ready', record: checked.data };
  return {
    status: 'unreadable',
    raw,
    problems: checked.error.issues.map((issue) => `${issue.path.map(String).join('.') || 'record'}: ${issue.message}`),
  };
}

/** Applies the migrations that a body of `version` has not seen. */
export function migrate(
  definition: Pick<RecordDefinition<z.ZodType>, 'migrations'>,
  body: JsonObject,
  version: number,
): JsonObject {
  return definition.migrations.filter(({ to }) => to > version).reduce((migrated, { up }) => up(migrated), body);
}
