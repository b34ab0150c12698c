import type { WireError } from '../../../domain/errors';
import type { OpId } from '../../../domain/ids';
import type { TabletHost } from '../../../platform/host';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import type { Delay } from './outbox';
import type { Sender } from './sender';
import type { SenderFacts } from './sender-report';
import { IDLE } from './sender-report';

/** Minimum and maximum interval of progress messages to other tabs, ms. */
const POST_MIN_INTERVAL_MS = 250;
const POST_MAX_INTERVAL_MS = 2000;
/** Silence after which the sending tab counts as gone, ms. */
const SENDER_GONE_MS = 6000;
/** Maximum items whose problems are posted; the rest shows as waiting. */
const PROBLEMS_MAX = 500;

type ProgressMessage =
  | {
      readonly say: 'progress';
      readonly facts: SenderFacts;
      readonly problems: readonly (readonly [OpId, WireError])[];
    }
  /** Request of a newly opened tab for the current progress. */
  | { readonly say: 'how-far' }
  /** Request of a person in another tab to try at once. */
  | { readonly say: 'try-now' }
  | { readonly say: 'cancel' };

/**
 * Sender progress in every tab: the sending tab posts it, the others receive it. Nothing depends on a lost message; the
 * operation index shows what was receipted.
 */
export class SharedProgress {
  readonly facts = new ObservableValue<SenderFacts>(IDLE, isJsonEqual);
  readonly #remoteDelays = new Map<OpId, Delay>();
  readonly #channel: { readonly post: (value: unknown) => void; readonly close: () => void };
  readonly #stops: (() => void)[];
  #sendingHere = false;
  #cancelTimer: (() => void) | undefined;
  #lastPostAt = Number.NEGATIVE_INFINITY;
  #cancelGoneTimer: (() => void) | undefined;

  readonly #host: TabletHost;
  readonly #sender: Sender;

  constructor(host: TabletHost, sender: Sender, sendingTab: ObservableValue<'here' | 'elsewhere'>, name: string) {
    this.#host = host;
    this.#sender = sender;
    this.#channel = host.channel(name, (value) => this.#onMessage(value as ProgressMessage));
    this.#stops = [
      sender.facts.subscribe(() => this.#onOwnFacts()),
      sendingTab.subscribe((now) => {
        this.#sendingHere = now === 'here';
        this.facts.set(this.#sendingHere ? sender.facts.get() : IDLE);
        if (this.#sendingHere) this.#notify();
        else this.#cancelTimer?.();
      }),
    ];
    this.#post({ say: 'how-far' });
  }

  get delays(): ReadonlyMap<OpId, Delay> {
    return this.#sendingHere ? this.#sender.delays : this.#remoteDelays;
  }

  /** Retries waiting items, in whichever tab sends. */
  tryNow(): void {
    this.#sender.tryNow();
    this.#post({ say: 'try-now' });
  }

  /** Cancels what is in flight, in whichever tab sends. */
  cancel(): void {
    this.#sender.cancel();
    this.#post({ say: 'cancel' });
  }

  close(): void {
    this.#stops.forEach((stop) => stop());
    this.#cancelTimer?.();
    this.#cancelGoneTimer?.();
    this.#channel.close();
  }

  #onOwnFacts(): void {
    if (!this.#sendingHere) return;
    this.facts.set(this.#sender.facts.get());
    const since = this.#host.clock.elapsed() - this.#lastPostAt;
    if (since >= POST_MIN_INTERVAL_MS) this.#notify();
    else this.#scheduleNotify(POST_MIN_INTERVAL_MS - since);
  }

  #notify(): void {
    this.#lastPostAt = this.#host.clock.elapsed();
    const problems = [...this.#sender.delays]
      .slice(0, PROBLEMS_MAX)
      .map(([opId, { problem }]): [OpId, WireError] => [opId, problem]);
    this.#post({ say: 'progress', facts: this.#sender.facts.get(), problems });
    if (this.#sender.facts.get().inFlight.length > 0) this.#scheduleNotify(POST_MAX_INTERVAL_MS);
  }

  #scheduleNotify(ms: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#host.timers.after(ms, () => {
      if (this.#sendingHere) this.#notify();
    });
  }

  #onMessage(message: ProgressMessage): void {
    switch (message.say) {
      case 'how-far':
        if (this.#sendingHere) this.#notify();
        return;
      case 'try-now':
        if (this.#sendingHere) this.#sender.tryNow();
        return;
      case 'cancel':
        if (this.#sendingHere) this.#sender.cancel();
        return;
      case 'progress': {
        if (this.#sendingHere) return;
        this.#remoteDelays.clear();
        for (const [opId, problem] of message.problems)
          this.#remoteDelays.set(opId, { problem, rounds: 0, notBefore: 0 });
        this.facts.set(message.facts);
        this.#cancelGoneTimer?.();
        this.#cancelGoneTimer = this.#host.timers.after(SENDER_GONE_MS, () => {
          if (!this.#sendingHere && this.facts.get().inFlight.length > 0) this.facts.set(IDLE);
        });
      }
    }
  }

  #post(message: ProgressMessage): void {
    try {
      this.#channel.post(message);
    } catch (error) {
      // A message that cannot be posted (a closing page) is only missed: the other tabs read the operation index.
      this.#host.log.note('info', 'The other tabs could not be notified of the sending progress.', {
        error: String(error),
      });
    }
  }
}
