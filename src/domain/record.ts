import type { z } from 'zod';
import type { JsonObject } from './json';
import { isObject } from './json';

/** Migrates a body from the previous version to `to`. Pure; unknown fields pass through. */
interface Migration {
  readonly to: number;
  readonly up: (body: JsonObject) => JsonObject;
}

/** Definition of a record: current version, migrations and schema. */
export interface RecordDefinition<Schema extends z.ZodType> {
  /** Value of an operation's `schema`, from 1. */
  readonly version: number;
  /** Ascending, one for each version from 2. */
  readonly migrations: readonly Migration[];
  readonly schema: Schema;
}

/** Result of reading a record. Known fields of a newer record are shown if valid; nothing is dropped. */
type ReadRecord<T> =
  | { readonly status: 'ready'; readonly record: T }
  | { readonly status: 'unreadable'; readonly raw: unknown; readonly problems: readonly string[] };

/**
 * Reads a record of any version: migrates older ones, takes newer ones as they are.
 *
 * @param version from the operation; absent: the current one
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

/** Applies the migrations that follow `version`. */
export function migrate(
  definition: Pick<RecordDefinition<z.ZodType>, 'migrations'>,
  body: JsonObject,
  version: number,
): JsonObject {
  return definition.migrations.filter(({ to }) => to > version).reduce((migrated, { up }) => up(migrated), body);
}
