import { LIMITS } from './limits/foundations';

/**
 * Error report to the shore (3§7: "method, timestamp, message, url, browser, screen, viewport, language, device, host,
 * time zone, uid, email"), without the email and with the app's version.
 */
export interface ErrorReport {
  readonly method: 'error';
  /** ISO 8601. */
  readonly timestamp: string;
  readonly message: string;
  /** Without query and hash. */
  readonly url: string;
  readonly browser: string;
  /** Screen and page size as `1180x820`, CSS pixels. */
  readonly screen: string;
  readonly viewport: string;
  readonly language: string;
  readonly device: string;
  readonly host: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly uid: string | null;
  /** Version of the app. */
  readonly version: string;
}

/** Longest message with its stack, in characters. */
const REPORT_MESSAGE_MAX = 4000;

/** Longest title of a group of reports, in characters. */
const TITLE_MAX = 200;

/** Name endings of what people add or save: photographs, videos and their companions, tracks, tables, copies. */
const FILE_ENDINGS =
  'jpe?g|png|gif|webp|avif|hei[cf]|hif|tiff?|bmp|psd|mpo|dng|raw|cr[23]|nef|arw|srw|pef|orf|raf|rw2|gpr|mp4|m4v|mov|avi|mkv|webm|insv|insp|360|lrv|thm|xmp|gpx|kmz?l?|geojson|csv|tsv|xlsx?|docx?|pdf|txt|zip|tar|gz|reef';

/**
 * File names may contain spaces: one begins after a quote, slash, colon or bracket, or with the line. An apostrophe
 * between letters (`Mara's dive.jpg`) and the number of a copy (`IMG_0001 (1).JPG`) belong to the name.
 */
const FILE_NAME = new RegExp(
  `[^\\s"'\`“”‘’/\\\\:()<>](?:[^\\n"'\`“”‘’/\\\\:()<>]|(?<=\\p{L})['’](?=\\p{L})|\\([^\\n"()/:]{0,20}\\)){0,119}?\\.(?:${FILE_ENDINGS})(?![\\w])`,
  'giu',
);

const EMAIL = /[^\s"'<>()@,;:/]{1,64}(?:@|%40)[^\s"'<>()@,;:/]+/gi;

/** Query and hash of an address or path, or alone, such as `?code=…`. */
const QUERY_OR_HASH = /(\/[^\s"'`<>()?#/]*)[?#][^\s"'`<>()]*/g;
const LONE_QUERY = /[?#&][\w.-]+=[^\s"'`<>()]*/g;

/** Value that its name calls secret. */
const NAMED_SECRET =
  /\b((?:\w{0,20}(?:token|password|passphrase|secret|ticket)|authorization)["']?\s*[:=]\s*["']?(?:bearer\s+)?|bearer\s+)(?!\{|bearer\s)[^\s"',;(){}]{4,}/gi;

/** Run of signs that may be an id, hash, key or token. */
const RUN = /[\w-]+(?:[.+=~][\w-]+)*=*/g;
const SECRET = /^(?=.*\d)(?=.*[a-z])[\w-]{12,}$/i;
/** Word of letters alone that may be an id. */
const LETTERS = /^[a-z]{16,}$/i;
const BOTH_CASES = /[a-z][A-Z]|[A-Z][a-z]/;
/** Letters alone that are an id after a slash: the app's own addresses have small letters, and no segment of 16 to 19. */
const SEGMENT_ID = new RegExp(`^(?:[a-z]{16,${LIMITS.idLengthMax}}|(?=.*[A-Z])[A-Za-z]{16,})$`);
/**
 * Log-likelihood ratios, names in programs to random letters, in tenths of a bit, for a word of letters alone. Counted in
 * the 2,251 names of 16 letters or more in TypeScript's `lib.dom.d.ts` and `lib.es5.d.ts`: of each letter from a to z, and
 * of a capital or small letter after a capital or small one.
 */
// prettier-ignore
const LETTER_WEIGHTS = [10, -11, 3, -1, 18, -12, -7, -16, 10, -51, -22, 0, -2, 10, 8, -2, -42, 10, 5, 14, -5, -14, -26, -28, -17, -52];
const CASE_WEIGHTS = { capitals: -12, smallAfterCapital: 6, capitalAfterSmall: -20, smalls: 8 };
/** Script of the app in a stack. */
const SCRIPT = /^.{1,60}\.m?[jt]sx?$/;

/** Codes of sign-in and pairing; line and column of a stack follow a colon. */
const CODE = /(?<![\w:.])\d{6,}(?![\w.])/g;

/** Text without addresses' queries and hashes, emails, file names, ids, tokens and codes. */
export function scrubText(text: string): string {
  return text
    .replace(QUERY_OR_HASH, '$1')
    .replace(LONE_QUERY, '')
    .replace(EMAIL, '{email}')
    .replace(FILE_NAME, '{file}')
    .replace(NAMED_SECRET, '$1{id}')
    .replace(RUN, (run: string, start: number, whole: string) =>
      !SCRIPT.test(run) && hasSecret(run, whole[start - 1] === '/') ? '{id}' : run,
    )
    .replace(CODE, '{code}');
}

function hasSecret(run: string, isSegment: boolean): boolean {
  return run
    .split(/[.+=~]/)
    .some(
      (word) =>
        SECRET.test(word) ||
        word
          .split(/[_-]/)
          .some((part) => LETTERS.test(part) && ((isSegment && SEGMENT_ID.test(part)) || isRandom(part))),
    );
}

/** True if random letters are likelier than a name. A word of one case is a word. */
function isRandom(letters: string): boolean {
  if (!BOTH_CASES.test(letters)) return false;
  let weight = 0;
  for (let i = 0; i < letters.length; i++) {
    weight += LETTER_WEIGHTS[(letters.charCodeAt(i) % 32) - 1] ?? 0;
    if (i > 0) weight += caseWeight(isCapital(letters, i - 1), isCapital(letters, i));
  }
  return weight < 0;
}

function caseWeight(before: boolean, now: boolean): number {
  if (before) return now ? CASE_WEIGHTS.capitals : CASE_WEIGHTS.smallAfterCapital;
  return now ? CASE_WEIGHTS.capitalAfterSmall : CASE_WEIGHTS.smalls;
}

function isCapital(text: string, at: number): boolean {
  return text.charCodeAt(at) < 97;
}

/** Report as it may be stored: the tablet and the cloud each apply this before they store one. */
export function scrubReport<Report extends { readonly message: string; readonly url?: string | null | undefined }>(
  report: Report,
): Report {
  const { message, url } = report;
  return {
    ...report,
    message: scrubText(firstPart(message)).slice(0, REPORT_MESSAGE_MAX),
    ...(typeof url === 'string' ? { url: scrubText(url.replace(/[?#].*$/s, '')) } : {}),
  };
}

/** Start of a message that ends between words: half an address would not be recognised. */
function firstPart(message: string): string {
  if (message.length <= 2 * REPORT_MESSAGE_MAX) return message;
  return message.slice(0, 2 * REPORT_MESSAGE_MAX).replace(/(?<=\s)\S{1,200}$/, '');
}

/** First line of a message with its numbers removed: reports with the same title and version are one group. */
export function reportTitle(message: string): string {
  const line = message.split('\n').find((text) => text.trim() !== '') ?? '';
  return line.trim().replace(/\d+/g, '{n}').slice(0, TITLE_MAX);
}
