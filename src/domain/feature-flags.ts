/** Feature flags by name; one that nobody named is off. */
export type FeatureFlags = Readonly<Record<string, boolean>>;

/** What a URL's query holds for a name: nothing, one value, or a list. */
export type QueryValue = string | readonly string[] | undefined | null;

const FLAG_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * The feature flags after a URL was opened (1§2): flags named in `featureFlagsOn` become true, those named in
 * `featureFlagsOff` false; others stay as they were. Each parameter carries one value, a comma-separated list, or is
 * repeated. A flag named in both is off: the safer of the two.
 */
export function flagsFromQuery(query: Readonly<Record<string, unknown>>, before: FeatureFlags = {}): FeatureFlags {
  const on = flagNames(query['featureFlagsOn']).map((name) => [name, true] as const);
  const off = flagNames(query['featureFlagsOff']).map((name) => [name, false] as const);
  return { ...before, ...Object.fromEntries([...on, ...off]) };
}

/** True for a flag that is on; names inherited by every object are no flags. */
export function isFlagOn(flags: FeatureFlags, name: string): boolean {
  return Object.hasOwn(flags, name) && flags[name] === true;
}

function flagNames(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values
    .flatMap((entry) => (typeof entry === 'string' ? entry.split(',') : []))
    .map((name) => name.trim())
    .filter((name) => FLAG_NAME.test(name));
}
