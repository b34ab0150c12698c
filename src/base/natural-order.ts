/** Printable characters of ASCII in the order of the collation of English, digits and letters apart (Unicode CLDR 45, root). */
const MARKS = ` _-,;:!?.'"()[]{}@*/\\&#%\`^+<=>|~$`;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGIT = MARKS.length + 1;
/** Weight of a character by its code, the same for both cases of a letter; 0 for those that are not in the order. */
const WEIGHTS = new Uint8Array(128);
[...MARKS].forEach((mark, n) => (WEIGHTS[mark.charCodeAt(0)] = n + 1));
for (let code = 48; code < 58; code++) WEIGHTS[code] = DIGIT;
[...LETTERS].forEach((letter, n) => {
  for (const either of [letter, letter.toUpperCase()]) WEIGHTS[either.charCodeAt(0)] = DIGIT + 1 + n;
});

let collator: Intl.Collator | null = null;

/**
 * Order of names for people, in which `Reef 2` comes before `reef 10`: that of `Intl.Collator('en', { numeric: true })`.
 * That one takes a slow phone a tenth of a second to open, so it is opened only for names beyond printable ASCII.
 */
export function compareNatural(a: string, b: string): number {
  /** Order of the first letters that differ in their case alone. */
  let byCase = 0;
  let i = 0;
  let j = 0;
  for (; i < a.length && j < b.length; i++, j++) {
    const [codeA, codeB] = [a.charCodeAt(i), b.charCodeAt(j)];
    const [weightA, weightB] = [WEIGHTS[codeA] ?? 0, WEIGHTS[codeB] ?? 0];
    if (weightA === 0 || weightB === 0) return compareCollated(a, b);
    if (weightA !== weightB) return isPlain(a, i) && isPlain(b, j) ? weightA - weightB : compareCollated(a, b);
    if (weightA === DIGIT) {
      const [endA, endB] = [endOfNumber(a, i), endOfNumber(b, j)];
      const order = compareDigits(a.slice(i, endA), b.slice(j, endB));
      if (order !== 0) return isPlain(a, endA) && isPlain(b, endB) ? order : compareCollated(a, b);
      [i, j] = [endA - 1, endB - 1];
    } else if (byCase === 0) byCase = codeB - codeA;
  }
  if (!isPlain(a, i) || !isPlain(b, j)) return compareCollated(a, b);
  return a.length - i - (b.length - j) || byCase;
}

function compareCollated(a: string, b: string): number {
  return (collator ??= new Intl.Collator('en', { numeric: true })).compare(a, b);
}

/** True if all characters from a place are in the order: an accent after a letter would change it. */
function isPlain(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) if ((WEIGHTS[text.charCodeAt(at)] ?? 0) === 0) return false;
  return true;
}

function endOfNumber(text: string, from: number): number {
  let end = from;
  while (WEIGHTS[text.charCodeAt(end)] === DIGIT) end++;
  return end;
}

function compareDigits(a: string, b: string): number {
  const [plainA, plainB] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return plainA.length - plainB.length || (plainA < plainB ? -1 : Number(plainA > plainB));
}
