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

/** Name endings of what people add or save: photographs, videos, tracks, tables, copies. */
const FILE_ENDINGS =
  'jpe?g|png|gif|webp|avif|hei[cf]|tiff?|bmp|dng|raw|cr[23]|nef|arw|orf|raf|rw2|gpr|mp4|m4v|mov|avi|insv|360|gpx|kmz?l?|geojson|csv|tsv|xlsx?|docx?|pdf|txt|zip|tar|gz|reef';

/** File names may contain spaces: one begins after a quote, slash, colon or bracket, or with the line. */
const FILE_NAME = new RegExp(
  `[^\\s"'\`“”‘’/\\\\:()<>][^\\n"'\`“”‘’/\\\\:()<>]{0,119}?\\.(?:${FILE_ENDINGS})(?![\\w])`,
  'gi',
);

const EMAIL = /[^\s"'<>()@,;:/]{1,64}(?:@|%40)[^\s"'<>()@,;:/]+/gi;

/** Query and hash of an address or path, or alone, such as `?code=…`. */
const QUERY_OR_HASH = /(\/[^\s"'`<>()?#/]*)[?#][^\s"'`<>()]*/g;
const LONE_QUERY = /[?#&][\w.-]+=[^\s"'`<>()]*/g;

/** Run of signs that may be an id, hash, key or token. */
const RUN = /[\w-]+(?:[.+=~][\w-]+)*=*/g;
const SECRET = /^(?=.*\d)(?=.*[a-z])[\w-]{12,}$/i;
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
    .replace(RUN, (run) => (!SCRIPT.test(run) && run.split(/[.+=~]/).some((part) => SECRET.test(part)) ? '{id}' : run))
    .replace(CODE, '{code}');
}

/** Report as it may be stored: the tablet and the cloud each apply this before they store one. */
export function scrubReport<Report extends { readonly message: string; readonly url?: string | null | undefined }>(
  report: Report,
): Report {
  const { message, url } = report;
  return {
    ...report,
    message: scrubText(message.slice(0, 2 * REPORT_MESSAGE_MAX)).slice(0, REPORT_MESSAGE_MAX),
    ...(typeof url === 'string' ? { url: scrubText(url.replace(/[?#].*$/s, '')) } : {}),
  };
}

/** First line of a message with its numbers removed: reports with the same title and version are one group. */
export function reportTitle(message: string): string {
  const line = message.split('\n').find((text) => text.trim() !== '') ?? '';
  return line.trim().replace(/\d+/g, '{n}').slice(0, TITLE_MAX);
}
