/** Country codes by lower-case English name; built on first use. */
let codesByName: ReadonlyMap<string, string> | undefined;

function countryCodes(): ReadonlyMap<string, string> {
  if (codesByName !== undefined) return codesByName;
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const pairs = letters.flatMap((a) => letters.map((b) => a + b));
  // XA and similar codes are not countries; EU and UN are not single ones.
  const known = pairs.filter((code) => !/^(X[A-W]|ZZ|EU|UN|EZ|QO)$/.test(code));
  codesByName = new Map(
    known.flatMap((code) => {
      const name = names.of(code);
      return name === undefined ? [] : [[name.toLowerCase(), code]];
    }),
  );
  return codesByName;
}

/** Common alternative names. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  usa: 'US',
  'united states of america': 'US',
  uk: 'GB',
  'great britain': 'GB',
  turkey: 'TR',
  'czech republic': 'CZ',
  burma: 'MM',
  'ivory coast': 'CI',
};

/** ISO 3166-1 code of a country name; null if unknown. */
export function countryCode(country: string): string | null {
  const name = country.trim().toLowerCase();
  return name === '' ? null : (OTHER_NAMES[name] ?? countryCodes().get(name) ?? null);
}
