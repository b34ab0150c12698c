import type { LogEntry } from './host';

/**
 * Report for the cloud's error log (3§7: "method, timestamp, message, url, browser, screen, viewport, language, device,
 * host, time zone, uid, email").
 */
export interface ErrorReport {
  readonly method: LogEntry['level'];
  /** ISO 8601. */
  readonly timestamp: string;
  readonly message: string;
  readonly url: string;
  readonly browser: string;
  /** Screen and page size as `1180x820`, CSS pixels. */
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

/** Part of a report that comes from device and browser. */
export type ReportEnvironment = Pick<
  ErrorReport,
  'url' | 'browser' | 'screen' | 'viewport' | 'language' | 'device' | 'host' | 'timezone'
>;

/** Longest message with its stack, in characters. */
const MESSAGE_CHARACTERS = 4000;

/**
 * True if an entry is reported: 3§7 "Skipped on localhost and for log/warn levels".
 * @param host with or without a port
 */
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

/** Environment as the browser reports it. The address omits the query, which may hold a code or token. */
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
