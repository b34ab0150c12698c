/** Value of a record's own key; undefined for any other, also for `constructor` and what else each object inherits. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
