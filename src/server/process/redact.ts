const EMAIL = /[^\s"'<>@,;:]+@[^\s"'<>@,;:]+\.[^\s"'<>@,;:]+/g;
const ADDRESS = /\b(?!127\.0\.0\.1\b)(?:\d{1,3}\.){3}\d{1,3}\b/g;
/** IPv6 addresses with at least three groups; a time of day has two colons and only digits. */
const ADDRESS_6 = /\b(?=[0-9a-f:]*[a-f])[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){3,7}\b/gi;
const BEARER = /\b(Bearer|Basic)\s+[^\s"',]+/gi;

/**
 * Creates a function that redacts email and network addresses, and known names, ids or secrets.
 *
 * @param words each with its replacement; short ones match only as whole words
 */
export function redactor(words: Iterable<readonly [word: string, instead: string]>): (text: string) => string {
  const known = [...words].filter(([word]) => word.trim().length >= 2).sort(([a], [b]) => b.length - a.length);
  const replacements = known.map(
    ([word, instead]) =>
      [
        new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu'),
        instead,
      ] as const,
  );
  return (text) => {
    let clean = text.replace(BEARER, '$1 <secret>').replace(EMAIL, '<email>');
    for (const [pattern, instead] of replacements) clean = clean.replace(pattern, instead);
    return clean.replace(ADDRESS, '<address>').replace(ADDRESS_6, '<address>');
  };
}
