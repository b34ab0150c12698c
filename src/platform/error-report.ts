import { scrubReport, type ErrorReport } from '../domain/error-report';
import type { LogEntry } from './host';

/** Part of a report that comes from device and browser. */
export type ReportEnvironment = Pick<
  ErrorReport,
  'url' | 'browser' | 'screen' | 'viewport' | 'language' | 'device' | 'host' | 'timeZone'
>;

/**
 * True if an entry is reported: 3§7 "Skipped on localhost and for log/warn levels".
 * @param host with or without a port
 */
export function isReported(entry: LogEntry, host: string): entry is LogEntry & { readonly level: 'error' } {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return entry.level === 'error' && name !== 'localhost' && name !== '127.0.0.1' && name !== '::1';
}

/** Report of an entry, scrubbed. @param version of the app */
export function reportOf(
  entry: LogEntry & { readonly level: 'error' },
  surroundings: ReportEnvironment,
  uid: string | null,
  version: string,
): ErrorReport {
  const stack =
    typeof entry.details?.['stack'] === 'string'
      ? entry.details['stack']
      : entry.details === undefined
        ? ''
        : JSON.stringify(entry.details);
  return scrubReport({
    method: entry.level,
    timestamp: entry.at,
    message: [entry.message, stack].filter((part) => part !== '').join('\n'),
    ...surroundings,
    uid,
    version,
  });
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
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
