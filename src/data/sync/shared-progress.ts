import type { WireError } from '../../domain/errors';
import type { OpId } from '../../domain/ids';
import type { TabletHost } from '../../platform/host';
import { Cell, sameFacts } from '../transport/signal';
import type { Delay } from './outbox';
import type { Sender } from './sender';
import type { SenderFacts } from './sender-report';
import { IDLE } from './sender-report';

/** How often the sending tab tells the others at most, and how often at least, ms. */
const TELL_AT_MOST_MS = 250;
const TELL_AT_LEAST_MS = 2000;
/** After so long without a word the sending tab is taken for gone, ms. */
const GONE_MS = 6000;
/** Items whose trouble is told along; the rest shows as waiting. */
const PROBLEMS_MAX = 500;

type Word =
  | {
      readonly say: 'progress';
      readonly facts: SenderFacts;
      readonly problems: readonly (readonly [OpId, WireError])[];
    }
  /** A tab that was just opened asks how far it is. */
  | { readonly say: 'how-far' }
  /** A person in another tab asks to try at once. */
  | { readonly say: 'try-now' }
  | { readonly say: 'cancel' };

/**
 * What the sender does, in every tab of the tablet: the one that sends says it, the others hear it. Nothing depends on a
 * word that is lost; the ledger tells each tab what was receipted.
 */
export class SharedProgress {
  /** What the sender of this tablet does, in whichever tab it runs. */
  readonly facts = new Cell<SenderFacts>(IDLE, sameFacts);
  readonly #heard = new Map<OpId, Delay>();
  readonly #channel: { readonly post: (value: unknown) => void; readonly close: () => void };
  readonly #stops: (() => void)[];
  #sendingHere = false;
  #callOff: (() => void) | undefined;
  #lastTold = Number.NEGATIVE_INFINITY;
  #callOffGone: (() => void) | undefined;

  readonly #host: TabletHost;
  readonly #sender: Sender;

  constructor(host: TabletHost, sender: Sender, place: Cell<'here' | 'elsewhere'>, name: string) {
    this.#host = host;
    this.#sender = sender;
    this.#channel = host.channel(name, (value) => this.#hear(value as Word));
    this.#stops = [
      sender.facts.subscribe(() => this.#onOwnFacts()),
      place.subscribe((now) => {
        this.#sendingHere = now === 'here';
        this.facts.set(this.#sendingHere ? sender.facts.get() : IDLE);
        if (this.#sendingHere) this.#tell();
        else this.#callOff?.();
      }),
    ];
    this.#post({ say: 'how-far' });
  }

  /** Why single items wait. */
  get delays(): ReadonlyMap<OpId, Delay> {
    return this.#sendingHere ? this.#sender.delays : this.#heard;
  }

  /** Takes up what waits, in whichever tab sends. */
  tryNow(): void {
    this.#sender.tryNow();
    this.#post({ say: 'try-now' });
  }

  /** Gives up what is in hand, in whichever tab sends. */
  cancel(): void {
    this.#sender.cancel();
    this.#post({ say: 'cancel' });
  }

  close(): void {
    this.#stops.forEach((stop) => stop());
    this.#callOff?.();
    this.#callOffGone?.();
    this.#channel.close();
  }

  #onOwnFacts(): void {
    if (!this.#sendingHere) return;
    this.facts.set(this.#sender.facts.get());
    const since = this.#host.clock.elapsed() - this.#lastTold;
    if (since >= TELL_AT_MOST_MS) this.#tell();
    else this.#tellIn(TELL_AT_MOST_MS - since);
  }

  #tell(): void {
    this.#lastTold = this.#host.clock.elapsed();
    const problems = [...this.#sender.delays]
      .slice(0, PROBLEMS_MAX)
      .map(([opId, { problem }]): [OpId, WireError] => [opId, problem]);
    this.#post({ say: 'progress', facts: this.#sender.facts.get(), problems });
    if (this.#sender.facts.get().inFlight.length > 0) this.#tellIn(TELL_AT_LEAST_MS);
  }

  #tellIn(ms: number): void {
    this.#callOff?.();
    this.#callOff = this.#host.timers.after(ms, () => {
      if (this.#sendingHere) this.#tell();
    });
  }

  #hear(word: Word): void {
    switch (word.say) {
      case 'how-far':
        if (this.#sendingHere) this.#tell();
        return;
      case 'try-now':
        if (this.#sendingHere) this.#sender.tryNow();
        return;
      case 'cancel':
        if (this.#sendingHere) this.#sender.cancel();
        return;
      case 'progress': {
        if (this.#sendingHere) return;
        this.#heard.clear();
        for (const [opId, problem] of word.problems) this.#heard.set(opId, { problem, rounds: 0, notBefore: 0 });
        this.facts.set(word.facts);
        this.#callOffGone?.();
        this.#callOffGone = this.#host.timers.after(GONE_MS, () => {
          if (!this.#sendingHere && this.facts.get().inFlight.length > 0) this.facts.set(IDLE);
        });
      }
    }
  }

  #post(word: Word): void {
    try {
      this.#channel.post(word);
    } catch (error) {
      // A word that cannot be said (a closing page) is only missed: the others read the ledger.
      this.#host.log.note('info', 'The other tabs could not be told how far sending is.', { error: String(error) });
    }
  }
}
