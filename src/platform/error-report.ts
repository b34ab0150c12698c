import type { LogEntry } from './host';

/** What the error log of the shore takes (3§7: "method, timestamp, message, url, browser, screen, viewport, language, device, host, time zone, uid, email"). */
export interface ErrorReport {
  /** The level it was noted at. */
  readonly method: LogEntry['level'];
  /** ISO 8601. */
  readonly timestamp: string;
  readonly message: string;
  readonly url: string;
  readonly browser: string;
  /** Of the screen, then of the page in it: `1180x820`, CSS pixels. */
  readonly screen: string;
  readonly viewport: string;
  readonly language: string;
  readonly device: string;
  readonly host: string;
  /** IANA name. */
  readonly timezone: string;
  readonly uid: string | null;
  readonly email: string | null;
}

/** What of a report the device and its browser say. */
export type ReportEnvironment = Pick<
  ErrorReport,
  'url' | 'browser' | 'screen' | 'viewport' | 'language' | 'device' | 'host' | 'timezone'
>;

/** Longest message of a report, in characters: with its stack. */
const MESSAGE_CHARACTERS = 4000;

/** Whether an entry is reported: 3§7 "Skipped on localhost and for log/warn levels". @param host with or without a port */
export function isReported({ level }: Pick<LogEntry, 'level'>, host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return level === 'error' && name !== 'localhost' && name !== '127.0.0.1' && name !== '::1';
}

export function reportOf(
  entry: LogEntry,
  surroundings: ReportEnvironment,
  person: { readonly uid: string; readonly email: string } | null,
): ErrorReport {
  const stack =
    typeof entry.details?.['stack'] === 'string'
      ? entry.details['stack']
      : entry.details === undefined
        ? ''
        : JSON.stringify(entry.details);
  return {
    method: entry.level,
    timestamp: entry.at,
    message: [entry.message, stack]
      .filter((part) => part !== '')
      .join('\n')
      .slice(0, MESSAGE_CHARACTERS),
    ...surroundings,
    uid: person?.uid ?? null,
    email: person?.email ?? null,
  };
}

/** The browser's own words about itself. The address goes without its query: a code or a token may stand there. */
export function browserEnvironment(): ReportEnvironment {
  const { userAgent, language, platform } = navigator as Navigator & { readonly platform: string };
  return {
    url: `${location.origin}${location.pathname}`,
    browser: userAgent,
    screen: `${screen.width}x${screen.height}`,
    viewport: `${innerWidth}x${innerHeight}`,
    language,
    device: platform,
    host: location.host,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
