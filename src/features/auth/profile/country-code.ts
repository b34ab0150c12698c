/** Codes of countries by their English names in small letters; made when a flag is first asked for. */
let codesByName: ReadonlyMap<string, string> | undefined;

function countryCodes(): ReadonlyMap<string, string> {
  if (codesByName !== undefined) return codesByName;
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const pairs = letters.flatMap((a) => letters.map((b) => a + b));
  // XA and the like name no country, EU and UN no single one.
  const known = pairs.filter((code) => !/^(X[A-W]|ZZ|EU|UN|EZ|QO)$/.test(code));
  codesByName = new Map(
    known.flatMap((code) => {
      const name = names.of(code);
      return name === undefined ? [] : [[name.toLowerCase(), code]];
    }),
  );
  return codesByName;
}

/** What people also call them. */
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

/** The ISO 3166-1 code of a country by its name; null where no country goes by it. */
export function countryCode(country: string): string | null {
  const name = country.trim().toLowerCase();
  return name === '' ? null : (OTHER_NAMES[name] ?? countryCodes().get(name) ?? null);
}
