/** Feature flags by name; a missing one is off. */
export type FeatureFlags = Readonly<Record<string, boolean>>;

const FLAG_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * Flags after opening a URL (1§2): `featureFlagsOn` sets true, `featureFlagsOff` false; others do not change.
 * Parameters may repeat or hold comma-separated lists. A flag in both is off, the safer choice.
 */
export function flagsFromQuery(query: Readonly<Record<string, unknown>>, before: FeatureFlags = {}): FeatureFlags {
  const on = flagNames(query['featureFlagsOn']).map((name) => [name, true] as const);
  const off = flagNames(query['featureFlagsOff']).map((name) => [name, false] as const);
  return { ...before, ...Object.fromEntries([...on, ...off]) };
}

/** True if the flag is on; inherited object members never are. */
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
