import { ReefError } from '../../../domain/errors';
import type { WireError } from '../../../domain/errors';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import { findFreeable, isDue } from './find-freeable';
import type { FreeingResult, FreeingContext } from './free-bytes';
import { freeBytes } from './free-bytes';

/** Delay after the start, and interval, of checks for photographs older than seven days, ms. */
const FIRST_CHECK_MS = 2 * 60_000;
const CHECK_INTERVAL_MS = 60 * 60_000;

interface FreeingFacts {
  readonly working: { readonly done: number; readonly total: number } | null;
  readonly last: FreeingResult | null;
  readonly problem: WireError | null;
}

/** Frees on request, and automatically what has been ashore for seven days. One run at a time over all tabs. */
export class FreeingWatch {
  readonly facts = new ObservableValue<FreeingFacts>({ working: null, last: null, problem: null }, isJsonEqual);
  readonly #ending = new AbortController();
  #cancelTimer: (() => void) | undefined;
  readonly #stop: () => void;

  readonly #context: FreeingContext;
  readonly #isAllowed: () => boolean;

  constructor(
    context: FreeingContext,
    /** True if this tab is the sending one and the person did not choose to stay offline. */
    isAllowed: () => boolean,
  ) {
    this.#context = context;
    this.#isAllowed = isAllowed;
    this.#stop = context.opIndex.onChange(() => this.#schedule(FIRST_CHECK_MS));
    this.#schedule(FIRST_CHECK_MS);
  }

  /** Frees everything that is ashore. Settles when done; the result is in the facts. */
  async freeNow(): Promise<void> {
    await this.#free('person');
  }

  close(): void {
    this.#ending.abort(new Error('the tablet is closed'));
    this.#cancelTimer?.();
    this.#stop();
  }

  /** Schedules nothing while there is no cloud to ask. */
  #schedule(ms: number): void {
    const { store, opIndex } = this.#context;
    if (
      this.#cancelTimer !== undefined ||
      this.#ending.signal.aborted ||
      !opIndex.clouds.some(({ credential }) => credential !== null)
    )
      return;
    this.#cancelTimer = store.host.timers.after(ms, () => {
      this.#cancelTimer = undefined;
      void this.#freeIfDue().finally(() => this.#schedule(CHECK_INTERVAL_MS));
    });
  }

  async #freeIfDue(): Promise<void> {
    const { store, opIndex } = this.#context;
    const cloud = opIndex.clouds.find(({ origin, credential }) => origin !== null && credential !== null);
    // This tablet's clock only decides if asking is worthwhile: the cloud's clock decides if the time has passed.
    const isWorthIt =
      cloud !== undefined &&
      this.#isAllowed() &&
      findFreeable(opIndex, cloud).free.some((photograph) => isDue(photograph, store.host.clock.now()));
    if (isWorthIt) await this.#free('time');
  }

  async #free(by: 'person' | 'time'): Promise<void> {
    const now = this.facts.get();
    if (now.working !== null) return;
    this.facts.set({ ...now, working: { done: 0, total: 0 }, problem: null });
    try {
      const last = await freeBytes(this.#context, {
        by,
        signal: this.#ending.signal,
        onProgress: (done, total) => this.facts.set({ ...this.facts.get(), working: { done, total } }),
      });
      this.facts.set({ working: null, last: by === 'person' || last.photographs > 0 ? last : now.last, problem: null });
    } catch (error) {
      const reefError =
        error instanceof ReefError
          ? error
          : new ReefError('internal', {
              message: 'Freeing up space was interrupted. Everything still on this tablet is unchanged.',
              cause: error,
            });
      this.#context.store.host.log.note('info', 'Freeing up space stopped.', {
        code: reefError.code,
        message: reefError.message,
      });
      // The automatic run tries again later; a person who asked gets the error.
      this.facts.set({ working: null, last: now.last, problem: by === 'person' ? reefError.toWire() : null });
    }
  }
}
