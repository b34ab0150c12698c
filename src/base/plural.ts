/** `singular` for 1, else `plural`. */
export function pluralize(n: number, singular: string, plural = `${singular}s`): string {
  return n === 1 ? singular : plural;
}

/** Count with its noun: `1 photograph`, `1,124 photographs`. */
export function formatCount(n: number, singular: string, plural?: string): string {
  // Small ones need no separator, and the first number format takes a slow phone tens of ms.
  const count = Number.isInteger(n) && n >= 0 && n < 1000 ? String(n) : n.toLocaleString('en');
  return `${count} ${pluralize(n, singular, plural)}`;
}
