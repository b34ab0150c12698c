import { Backoff } from '../../../base/backoff';
import { liveValue } from '../../../base/live-value';
import { ObservableValue } from '../../../base/observable';
import { ReefError } from '../../../domain/errors';
import type { TabletHost } from '../../../platform/host';
import type { ReportCache } from '../../cache/report-cache';
import type { ConnectivityFacts } from '../../transport/connectivity';
import { withJitter } from '../../transport/timing';
import type { Observable } from '../live';
import type { ReportObservable, ReportRead } from './types';

/** Answer of a server: its text, or that the stored one is current. */
type ServerAnswer = { readonly text: string; readonly etag: string | null } | 'unchanged';

/** Parts of the tablet that a live answer needs. */
interface ReadContext {
  readonly store: { readonly host: Pick<TabletHost, 'log' | 'clock' | 'timers' | 'randomBytes'> };
  readonly connectivity: { readonly facts: Observable<ConnectivityFacts> };
  readonly access: { readonly changed: Pick<Observable<unknown>, 'subscribe'> };
  readonly person: Observable<{ readonly uid: string } | null>;
}

interface ReadSource<Value> {
  /** Key of the stored answer; another one for each user who may read something else. */
  readonly key: () => string;
  /**
   * Asks the servers in reach. @param etag of the stored answer
   * @returns null if no server is in reach
   * @throws ReefError from the server
   */
  readonly ask: (etag: string | null) => Promise<ServerAnswer | null>;
  /** @throws Error for an answer that is not valid */
  readonly decode: (text: string) => Value;
  /** Value after an error without a stored answer: an empty list (3§8). */
  readonly onError: Value | null;
  /** Pause until a current answer is asked for again, ms; absent: not before another server answers. */
  readonly recheckMs?: number;
  /** Called before a new answer replaces a stored one. */
  readonly onReplaced?: (stored: Value, fresh: Value) => Promise<void>;
}

/** Pauses between attempts while an answer is missing, ms: 2 s, doubling up to a minute. */
const RETRY_DELAYS = { firstMs: 2_000, maxMs: 60_000 } as const;

/**
 * Live answer: the stored one at once, then the server's. It is asked again when another server answers, the tablet
 * comes online or the user changes, and after `recheckMs`; after a failure, or without a server, automatically with
 * growing pauses, while what is shown stays. An answer that cannot be decoded is logged and not stored.
 */
export function liveRead<Value>(
  { store, connectivity, access, person }: ReadContext,
  cache: ReportCache,
  { key, ask, decode, onError, recheckMs, onReplaced }: ReadSource<Value>,
): ReportObservable<Value> {
  const read = new ObservableValue<ReportRead<Value>>({ status: 'reading', value: null, asOf: null });
  const { log, clock, timers, randomBytes } = store.host;
  const backoff = new Backoff(RETRY_DELAYS);
  let cancelRetry = (): void => undefined;
  let shownKey: string | undefined;
  /** Tag of the value that is shown. */
  let shownEtag: string | null = null;
  let run = 0;

  /** @param askedMs pause that the server asked for */
  const scheduleRetry = (askedMs = 0): void => {
    const pause = Math.max(withJitter(backoff.next(), randomBytes), askedMs);
    cancelRetry = timers.after(pause, () => void attempt('retry'));
  };
  const scheduleRecheck = (): void => {
    backoff.reset();
    if (recheckMs !== undefined)
      cancelRetry = timers.after(withJitter(recheckMs, randomBytes), () => void attempt('recheck'));
  };
  const refresh = (): void => {
    backoff.reset();
    void attempt('first');
  };
  const attempt = async (kind: 'first' | 'retry' | 'recheck'): Promise<void> => {
    const mine = ++run;
    cancelRetry();
    const isCurrent = (): boolean => mine === run;
    const at = key();
    let { value, asOf } = read.get();
    if (at !== shownKey) [value, asOf, shownKey, shownEtag] = [null, null, at, null];
    let valueEtag = shownEtag;
    const show = (shown: ReportRead<Value>): void => {
      shownEtag = valueEtag;
      read.set(shown);
    };
    if (kind === 'first') show({ status: 'reading', value, asOf });
    const stored = await cache.getAnswer(at);
    if (!isCurrent()) return;
    let etag: string | null = null;
    if (stored !== undefined) {
      try {
        // Another tab may have stored it again.
        const isShown = value !== null && (stored.etag === null ? stored.at === asOf : stored.etag === shownEtag);
        if (!isShown) [value, asOf, valueEtag] = [decode(stored.text), stored.at, stored.etag];
        etag = stored.etag;
        // A retry leaves the cause of the failure on screen.
        if (kind === 'first') show({ status: 'reading', value, asOf });
      } catch (error) {
        log.note('warn', 'A stored answer of the report could not be read; asking for it again.', {
          key: at,
          error: String(error),
        });
      }
    }
    try {
      const answer = await ask(etag);
      if (!isCurrent()) return;
      if (answer === null) {
        show({ status: 'stored', value, asOf, isAboard: connectivity.facts.get().answering === 'edge' });
        scheduleRetry();
        return;
      }
      const now = clock.now();
      if (answer === 'unchanged') {
        if (value === null || stored === undefined) throw new ReefError('internal', { message: INVALID });
        // A recheck does not write the whole text for the time alone.
        if (kind !== 'recheck') await cache.storeAnswer({ ...stored, at: now });
        if (!isCurrent()) return;
        scheduleRecheck();
        show({ status: 'ready', value, asOf: now });
        return;
      }
      const fresh = decodeOr(decode, answer.text);
      if (value !== null) await onReplaced?.(value, fresh);
      await cache.storeAnswer({ key: at, text: answer.text, etag: answer.etag, at: now });
      if (!isCurrent()) return;
      scheduleRecheck();
      valueEtag = answer.etag;
      show({ status: 'ready', value: fresh, asOf: now });
    } catch (error) {
      if (!isCurrent()) return;
      log.note('warn', 'An answer for the report could not be fetched; showing what is stored.', {
        key: at,
        error: error instanceof Error ? error.message : String(error),
      });
      show({
        status: 'error',
        value: value ?? onError,
        asOf,
        error: error instanceof ReefError ? error : new ReefError('internal', { message: INVALID, cause: error }),
      });
      if (!needsPerson(error)) scheduleRetry(retryAfterOf(error));
    }
  };

  return liveValue(read, () => {
    let facts = connectivity.facts.get();
    let uid = person.get()?.uid;
    const onFacts = (): void => {
      const [before, now] = [facts, connectivity.facts.get()];
      facts = now;
      const isOnlineAgain = !isOnline(before) && isOnline(now);
      if (now.answering !== before.answering || isOnlineAgain) refresh();
    };
    const onPerson = (): void => {
      if (person.get()?.uid === uid) return;
      uid = person.get()?.uid;
      refresh();
    };
    refresh();
    return [
      connectivity.facts.subscribe(onFacts),
      person.subscribe(onPerson),
      access.changed.subscribe(onPerson),
      () => {
        cancelRetry();
        // An answer that arrives later is not shown.
        run++;
      },
    ];
  });
}

/** True if the tablet may use a network. */
function isOnline({ browserOnline, offlineByChoice }: ConnectivityFacts): boolean {
  return browserOnline && !offlineByChoice;
}

/** True for an answer that stays the same until someone signs in or pairs the tablet. */
function needsPerson(error: unknown): boolean {
  return error instanceof ReefError && (error.code === 'unauthorised' || error.code === 'forbidden');
}

/** Pause that a busy server asked for, ms; undefined for none. */
function retryAfterOf(error: unknown): number | undefined {
  const asked = error instanceof ReefError ? error.details['retryAfterMs'] : undefined;
  return typeof asked === 'number' ? asked : undefined;
}

const INVALID = 'The server sent an answer that this app cannot read.';

function decodeOr<Value>(decode: (text: string) => Value, text: string): Value {
  try {
    return decode(text);
  } catch (error) {
    throw error instanceof ReefError ? error : new ReefError('internal', { message: INVALID, cause: error });
  }
}
