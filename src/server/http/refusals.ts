import type { Logger } from 'pino';
import { ReefError } from '../../domain/errors';

/** Refusals of one source in a minute that get their own answer; beyond, it has to wait. */
export const REFUSALS_PER_MINUTE = 300;
const MINUTE_MS = 60_000;
/** Sources and reasons in memory; the oldest are forgotten. */
const REMEMBERED_MAX = 5000;

/** Refused sign-in or right. No address, no token: a log is read by more people than the accounts are. */
interface Refusal {
  /** Method and route as registered, or the event of a socket. */
  readonly route: string;
  readonly error: ReefError;
  /** Person, tablet or box that asked, by id; absent for a stranger. */
  readonly by?: string | undefined;
}

interface Line {
  writtenAt: number;
  /** Refusals since that line. */
  more: number;
}

interface Window {
  readonly endsAt: number;
  count: number;
}

/** Error codes of a refused right. */
const RIGHTS: ReadonlySet<string> = new Set(['unauthorised', 'forbidden', 'pairing-required', 'pairing-wrong']);

/**
 * Logs refused sign-ins and rights, and lets one source have only so many a minute. A refusal that repeats is one line a
 * minute with its count, so a flood of them does not fill the disk.
 */
export class Refusals {
  readonly #lines = new Map<string, Line>();
  readonly #windows = new Map<string, Window>();

  readonly #log: Logger;
  readonly #elapsed: () => number;

  /** @param elapsed monotonic, ms */
  constructor(log: Logger, elapsed: () => number = () => performance.now()) {
    this.#log = log;
    this.#elapsed = elapsed;
  }

  /**
   * Counts a refused right; returns its error, or `rate-limited` {retryAfterMs} for a source beyond the limit.
   *
   * @param source network, or the id of a known caller
   */
  limit(source: string, error: ReefError): ReefError {
    const now = this.#elapsed();
    const known = this.#windows.get(source);
    const window = known !== undefined && known.endsAt > now ? known : { endsAt: now + MINUTE_MS, count: 0 };
    window.count += 1;
    remember(this.#windows, source, window);
    return window.count <= REFUSALS_PER_MINUTE
      ? error
      : new ReefError('rate-limited', { retryAfterMs: Math.ceil(window.endsAt - now) });
  }

  /** Logs an error if it is a refused sign-in or right. */
  note({ route, error, by }: Refusal): void {
    const auth = typeof error.details['auth'] === 'string' ? error.details['auth'] : undefined;
    const kind = RIGHTS.has(error.code) ? 'a right was refused' : 'a sign-in was refused';
    if (auth === undefined && !RIGHTS.has(error.code)) return;
    const now = this.#elapsed();
    const key = `${route} ${error.code} ${auth ?? ''} ${by ?? ''}`;
    const line = this.#lines.get(key);
    if (line !== undefined && now - line.writtenAt < MINUTE_MS) {
      line.more += 1;
      return;
    }
    remember(this.#lines, key, { writtenAt: now, more: 0 });
    this.#log.warn(
      {
        route,
        code: error.code,
        ...(auth === undefined ? {} : { auth }),
        ...(by === undefined ? {} : { by }),
        ...(line === undefined || line.more === 0 ? {} : { alsoBefore: line.more }),
      },
      kind,
    );
  }
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= REMEMBERED_MAX && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
