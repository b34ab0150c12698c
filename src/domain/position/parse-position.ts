import type { GeoPoint } from './geo-point';

/** Parsed position, or a message on how to write one. */
type ParsedPosition =
  | { readonly ok: true; readonly point: GeoPoint }
  | { readonly ok: false; readonly fault: 'empty' | 'unreadable' | 'off-earth'; readonly text: string };

type Token =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'letter'; readonly letter: 'N' | 'S' | 'E' | 'W' }
  | { readonly kind: 'between' };

/** Half of a position: degrees, degrees and minutes, or degrees, minutes and seconds. */
interface Angle {
  readonly degrees: number;
  readonly letter: 'N' | 'S' | 'E' | 'W' | undefined;
}

const POSITION_HELP = 'Enter latitude, then longitude: 16.8743 S, 146.2130 E or 16 52.46 S 146 12.78 E.';

/**
 * Parses a position: decimal degrees (`-16.874, 146.213`), degrees and minutes (`16° 52.46′ S, 146° 12.78′ E`), or
 * degrees, minutes and seconds; hemisphere by sign or letter, before or after; decimal points or commas. Latitude comes
 * first unless letters differ.
 *
 * @returns the point, or the problem; coordinates off the earth are rejected
 */
export function parsePosition(text: string): ParsedPosition {
  const clean = normaliseSigns(text);
  if (clean.trim() === '') return { ok: false, fault: 'empty', text: POSITION_HELP };
  const halves = halvesOf(tokensOf(clean));
  if (halves === undefined) return unreadable();
  const [first, second] = halves.map(angleOf);
  if (first === undefined || second === undefined) return unreadable();
  const isSwapped = first.letter === 'E' || first.letter === 'W';
  const [latitude, longitude] = isSwapped ? [second, first] : [first, second];
  if (longitude.letter === 'N' || longitude.letter === 'S' || latitude.letter === 'E' || latitude.letter === 'W')
    return unreadable();
  if (Math.abs(latitude.degrees) > 90)
    return offEarth(
      `Latitude ranges from 90 S to 90 N, so ${formatDegrees(latitude.degrees)} is not possible. Enter latitude first.`,
    );
  if (Math.abs(longitude.degrees) > 180)
    return offEarth(`Longitude ranges from 180 W to 180 E, so ${formatDegrees(longitude.degrees)} is not possible.`);
  return { ok: true, point: { latitude: latitude.degrees, longitude: longitude.degrees } };
}

/** Unifies the many typed variants of signs; decimal commas become points. */
function normaliseSigns(text: string): string {
  const plain = text
    .replace(/[°º˚′’ʹ'″”"`]/g, ' ')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[−–—‐‑]/g, '-')
    .replace(/\b(?:LATITUDE|LONGITUDE|LAT|LONG|LNG|LON|DEG(?:REES?)?|MIN(?:UTES?)?|SEC(?:ONDS?)?)\b[.:=]?/g, ' ')
    .replace(/\bNORTH\b/g, 'N')
    .replace(/\bSOUTH\b/g, 'S')
    .replace(/\bEAST\b/g, 'E')
    .replace(/\bWEST\b/g, 'W');
  // `16,874 146,213`: two commas between digits and no point.
  return !plain.includes('.') && plain.match(/\d,\d/g)?.length === 2 && !/\d,\d+,\d/.test(plain)
    ? plain.replace(/(\d),(\d)/g, '$1.$2')
    : plain;
}

/** Returns undefined if the text contains anything else. */
function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  const pattern = /\s*(?:([+-]?\s?(?:\d+(?:\.\d*)?|\.\d+))|([NSEW])|([,;/|]))/y;
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const found = pattern.exec(text);
    if (found === null) return undefined;
    if (found[1] !== undefined) tokens.push({ kind: 'number', text: found[1].replace(/\s/g, '') });
    else if (found[2] !== undefined) tokens.push({ kind: 'letter', letter: found[2] as 'N' | 'S' | 'E' | 'W' });
    else tokens.push({ kind: 'between' });
  }
  return tokens;
}

/**
 * Splits at the only separator; else after the first closing letter or before the second opening one; else in the
 * middle.
 */
function halvesOf(tokens: Token[] | undefined): readonly [Token[], Token[]] | undefined {
  if (tokens === undefined) return undefined;
  const separators = tokens.filter(({ kind }) => kind === 'between').length;
  if (separators > 1) return undefined;
  if (separators === 1) {
    const at = tokens.findIndex(({ kind }) => kind === 'between');
    return [tokens.slice(0, at), tokens.slice(at + 1)];
  }
  const letters = tokens.flatMap(({ kind }, i) => (kind === 'letter' ? [i] : []));
  if (letters.length === 0)
    return tokens.length % 2 === 0 ? [tokens.slice(0, tokens.length / 2), tokens.slice(tokens.length / 2)] : undefined;
  const [one, two] = letters;
  if (one === undefined || two === undefined || letters.length > 2) return undefined;
  const at = one === 0 ? two : one + 1;
  return [tokens.slice(0, at), tokens.slice(at)];
}

function angleOf(tokens: readonly Token[]): Angle | undefined {
  const letters = tokens.flatMap((token) => (token.kind === 'letter' ? [token.letter] : []));
  const numbers = tokens.flatMap((token) => (token.kind === 'number' ? [token.text] : []));
  const [letter] = letters;
  if (letters.length > 1 || numbers.length < 1 || numbers.length > 3) return undefined;
  if (letter !== undefined && tokens[0]?.kind !== 'letter' && tokens.at(-1)?.kind !== 'letter') return undefined;
  const [head = '', ...rest] = numbers;
  const isSigned = /^[+-]/.test(head);
  // `-16 S` is ambiguous; only whole degrees precede minutes, only whole minutes precede seconds.
  if (
    (letter !== undefined && isSigned) ||
    rest.some((part) => /^[+-]/.test(part)) ||
    numbers.slice(0, -1).some((part) => part.includes('.'))
  )
    return undefined;
  const [minutes = 0, seconds = 0] = rest.map(Number);
  if (minutes >= 60 || seconds >= 60) return undefined;
  const size = Math.abs(Number(head)) + minutes / 60 + seconds / 3600;
  const isNegative = head.startsWith('-') || letter === 'S' || letter === 'W';
  return { degrees: isNegative && size !== 0 ? -size : size, letter };
}

function formatDegrees(degrees: number): string {
  return String(Math.round(degrees * 1e6) / 1e6);
}

function unreadable(): ParsedPosition {
  return { ok: false, fault: 'unreadable', text: `This is not a valid position. ${POSITION_HELP}` };
}

function offEarth(text: string): ParsedPosition {
  return { ok: false, fault: 'off-earth', text };
}
