const EMAIL = /[^\s"'<>@,;:]+@[^\s"'<>@,;:]+\.[^\s"'<>@,;:]+/g;
const ADDRESS = /\b(?!127\.0\.0\.1\b)(?:\d{1,3}\.){3}\d{1,3}\b/g;
/** Addresses of version 6, at least three groups long; a time of day has two colons and digits alone. */
const ADDRESS_6 = /\b(?=[0-9a-f:]*[a-f])[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){3,7}\b/gi;
const BEARER = /\b(Bearer|Basic)\s+[^\s"',]+/gi;

/**
 * Takes out of a text what names a person: addresses of mail and of tablets, and the words that are known to be names, ids or
 * secrets.
 *
 * @param words each with what stands in its place; short ones are taken as whole words alone
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
