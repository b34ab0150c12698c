/** `singular` for 1, else `plural`. */
export function pluralize(n: number, singular: string, plural = `${singular}s`): string {
  return n === 1 ? singular : plural;
}

/** Count with its noun: `1 photograph`, `1,124 photographs`. */
export function formatCount(n: number, singular: string, plural?: string): string {
  return `${n.toLocaleString('en')} ${pluralize(n, singular, plural)}`;
}
