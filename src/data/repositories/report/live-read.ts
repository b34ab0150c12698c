import { liveValue } from '../../../base/live-value';
import { ObservableValue } from '../../../base/observable';
import { ReefError } from '../../../domain/errors';
import type { ReportCache } from '../../cache/report-cache';
import type { Clock, Log } from '../../../platform/host';
import type { Observable } from '../live';
import type { ReportObservable, ReportRead } from './types';

/** Answer of a server: its text, or that the stored one is current. */
type ServerAnswer = { readonly text: string; readonly etag: string | null } | 'unchanged';

/** Parts of the tablet that a live answer needs. */
interface ReadContext {
  readonly store: { readonly host: { readonly log: Log; readonly clock: Pick<Clock, 'now'> } };
  readonly connectivity: { readonly facts: Observable<{ readonly answering: string }> };
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
  /** Called before a new answer replaces a stored one. */
  readonly onReplaced?: (stored: Value, fresh: Value) => Promise<void>;
}

/**
 * Live answer: the stored one at once, then the server's. It is asked again when another server answers or the user
 * changes. An answer that cannot be decoded is logged and not stored.
 */
export function liveRead<Value>(
  { store, connectivity, access, person }: ReadContext,
  cache: ReportCache,
  { key, ask, decode, onError, onReplaced }: ReadSource<Value>,
): ReportObservable<Value> {
  const read = new ObservableValue<ReportRead<Value>>({ status: 'reading', value: null, asOf: null });
  const { log, clock } = store.host;
  let shownKey: string | undefined;
  let run = 0;

  const refresh = async (): Promise<void> => {
    const mine = ++run;
    const isCurrent = (): boolean => mine === run;
    const at = key();
    let { value, asOf } = read.get();
    if (at !== shownKey) [value, asOf, shownKey] = [null, null, at];
    read.set({ status: 'reading', value, asOf });
    const stored = await cache.getAnswer(at);
    if (!isCurrent()) return;
    let etag: string | null = null;
    if (stored !== undefined) {
      try {
        if (asOf !== stored.at) [value, asOf] = [decode(stored.text), stored.at];
        etag = stored.etag;
        read.set({ status: 'reading', value, asOf });
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
        read.set({ status: 'stored', value, asOf, isAboard: connectivity.facts.get().answering === 'edge' });
        return;
      }
      const now = clock.now();
      if (answer === 'unchanged') {
        if (value === null || stored === undefined) throw new ReefError('internal', { message: INVALID });
        await cache.storeAnswer({ ...stored, at: now });
        if (isCurrent()) read.set({ status: 'ready', value, asOf: now });
        return;
      }
      const fresh = decodeOr(decode, answer.text);
      if (value !== null) await onReplaced?.(value, fresh);
      await cache.storeAnswer({ key: at, text: answer.text, etag: answer.etag, at: now });
      if (isCurrent()) read.set({ status: 'ready', value: fresh, asOf: now });
    } catch (error) {
      if (!isCurrent()) return;
      log.note('warn', 'An answer for the report could not be fetched; showing what is stored.', {
        key: at,
        error: error instanceof Error ? error.message : String(error),
      });
      read.set({
        status: 'error',
        value: value ?? onError,
        asOf,
        error: error instanceof ReefError ? error : new ReefError('internal', { message: INVALID, cause: error }),
      });
    }
  };

  return liveValue(read, () => {
    let answering = connectivity.facts.get().answering;
    let uid = person.get()?.uid;
    const onFacts = (): void => {
      if (connectivity.facts.get().answering === answering) return;
      answering = connectivity.facts.get().answering;
      void refresh();
    };
    const onPerson = (): void => {
      if (person.get()?.uid === uid) return;
      uid = person.get()?.uid;
      void refresh();
    };
    void refresh();
    return [
      connectivity.facts.subscribe(onFacts),
      person.subscribe(onPerson),
      access.changed.subscribe(onPerson),
      // An answer that arrives later is not shown.
      () => void run++,
    ];
  });
}

const INVALID = 'The server sent an answer that this app cannot read.';

function decodeOr<Value>(decode: (text: string) => Value, text: string): Value {
  try {
    return decode(text);
  } catch (error) {
    throw error instanceof ReefError ? error : new ReefError('internal', { message: INVALID, cause: error });
  }
}
