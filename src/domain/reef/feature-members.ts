/** Names of the number, name and kind of a reef in various sources, in any case. */
export const NUMBER_MEMBERS = ['gid', 'label_id', 'reef_id', 'unique_id'] as const;
export const NAME_MEMBERS = ['name', 'reef_name', 'gbr_name', 'loc_name_s'] as const;
export const KIND_MEMBERS = ['type', 'feat_name', 'kind'] as const;

/** Text of the first member found, by names in any case; empty if there is none. */
export function memberText(properties: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  const byName = new Map(Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value]));
  for (const name of names) {
    const text = textOf(byName.get(name));
    if (text !== '') return text;
  }
  return '';
}

/** A number or a text with single spaces; empty for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.isWellFormed() ? value.replace(/\s+/g, ' ').trim() : '';
}
