import { ReefError } from '../../../domain/errors';
import type { WireError } from '../../../domain/errors';
import { ObservableValue, isSameJson } from '../../transport/observable';
import { findFreeable, isDue } from './find-freeable';
import type { FreeingResult, FreeingContext } from './free-bytes';
import { freeBytes } from './free-bytes';

/** How long after the start, and then how often, it is looked whether seven days have passed for something, ms. */
const FIRST_CHECK_MS = 2 * 60_000;
const CHECK_INTERVAL_MS = 60 * 60_000;

/** What freeing does now, and what came of it last. */
export interface FreeingFacts {
  readonly working: { readonly done: number; readonly total: number } | null;
  readonly last: FreeingResult | null;
  readonly problem: WireError | null;
}

/** Frees when a person says so, and by itself what has been ashore for seven days. One at a time over all tabs. */
export class FreeingWatch {
  readonly facts = new ObservableValue<FreeingFacts>({ working: null, last: null, problem: null }, isSameJson);
  readonly #ending = new AbortController();
  #cancelTimer: (() => void) | undefined;
  readonly #stop: () => void;

  readonly #context: FreeingContext;
  readonly #isAllowed: () => boolean;

  constructor(
    context: FreeingContext,
    /** Whether this tab is the one that works, and the person did not choose to stay offline. */
    isAllowed: () => boolean,
  ) {
    this.#context = context;
    this.#isAllowed = isAllowed;
    this.#stop = context.opIndex.onChange(() => this.#schedule(FIRST_CHECK_MS));
    this.#schedule(FIRST_CHECK_MS);
  }

  /** Frees all that is ashore. Settles when that is done; what came of it is in the facts. */
  async freeNow(): Promise<void> {
    await this.#free('person');
  }

  close(): void {
    this.#ending.abort(new Error('the tablet is closed'));
    this.#cancelTimer?.();
    this.#stop();
  }

  /** Nothing is planned while there is no cloud to ask. */
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
    // By this tablet's clock, only to know whether asking is worth it: the cloud's own says whether the time has come.
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
              message: 'Freeing broke off on this tablet. What is here is as it was.',
              cause: error,
            });
      this.#context.store.host.log.note('info', 'Nothing more was freed.', {
        code: reefError.code,
        message: reefError.message,
      });
      // By itself it tries again later; a person who asked is told.
      this.facts.set({ working: null, last: now.last, problem: by === 'person' ? reefError.toWire() : null });
    }
  }
}
