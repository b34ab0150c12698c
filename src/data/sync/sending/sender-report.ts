import type { TransferSample } from '../../../domain/custody/transfer-estimate';
import { RATE_WINDOW_MS, transferRate } from '../../../domain/custody/transfer-estimate';
import type { WireError } from '../../../domain/errors';
import type { OpId } from '../../../domain/ids';
import type { Clock } from '../../../platform/host';
import { ObservableValue, isSameJson } from '../../transport/observable';

/** What the sender is doing; screens see it through the sending repository. */
export interface SenderFacts {
  readonly active: boolean;
  readonly inFlight: readonly {
    readonly opId: OpId;
    readonly docId: string;
    readonly sent: number;
    readonly bytes: number;
  }[];
  readonly rate: number | null;
  readonly problem: WireError | null;
  readonly nextTryAt: number | null;
}

/** A sender that does nothing, and of which nothing was heard. */
export const IDLE: SenderFacts = { active: false, inFlight: [], rate: null, problem: null, nextTryAt: null };

/** What a sender says of its own work: the items in hand, how fast bytes land, what went wrong last, when it tries again. */
export class SenderReport {
  readonly facts = new ObservableValue<SenderFacts>(IDLE, isSameJson);
  /** The last failure; null once something arrived after it. */
  problem: WireError | null = null;
  readonly #items = new Map<OpId, { docId: string; sent: number; bytes: number }>();
  /** Bytes that landed over the last while, for the rate. */
  #landedBytes: TransferSample[] = [];
  #since = 0;
  #shownTimeCache: { readonly until: number; readonly at: number } | undefined;

  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sending on one connection begins: the rate counts from here. */
  begin(): void {
    this.#since = this.#clock.elapsed();
  }

  /** The items in hand, as of now. */
  get inFlight(): ReadonlySet<OpId> {
    return new Set(this.#items.keys());
  }

  /** An item is taken in hand; `bytes` of a photograph, 0 of a record. */
  startItem(opId: OpId, docId: string, bytes: number): void {
    this.#items.set(opId, { docId, sent: 0, bytes });
    this.notify(true);
  }

  /** `sent` of `bytes` of an item in hand are at the box, `fresh` of them since it was last said. */
  progress(
    opId: OpId,
    docId: string,
    { sent, bytes, fresh }: { readonly sent: number; readonly bytes: number; readonly fresh: number },
  ): void {
    const now = this.#clock.elapsed();
    if (fresh > 0) this.#landedBytes.push({ at: now, bytes: fresh });
    this.#landedBytes = this.#landedBytes.filter(({ at }) => now - at <= RATE_WINDOW_MS);
    this.#items.set(opId, { docId, sent, bytes });
    this.notify(true);
  }

  /** An item is out of hand, whatever became of it. */
  finishItem(opId: OpId): void {
    this.#items.delete(opId);
    this.notify(true);
  }

  /** Nothing can go before `until` (by `elapsed`; null: until something changes). */
  waitUntil(until: number | null): void {
    this.notify(true, this.#shownTime(until));
  }

  /** Says how it stands. */
  notify(active: boolean, nextTryAt: number | null = this.facts.get().nextTryAt): void {
    this.facts.set({
      active,
      inFlight: [...this.#items].map(([opId, progress]) => ({ opId, ...progress })),
      rate: roundedRate(transferRate(this.#landedBytes, this.#since, this.#clock.elapsed())),
      problem: this.problem,
      nextTryAt: this.#items.size > 0 ? null : nextTryAt,
    });
  }

  /** What the clock will show at a time by `elapsed`; worked out once, so that the same plan stays the same fact. */
  #shownTime(until: number | null): number | null {
    if (until === null) return null;
    if (this.#shownTimeCache?.until !== until)
      this.#shownTimeCache = { until, at: Math.round(this.#clock.now() + until - this.#clock.elapsed()) };
    return this.#shownTimeCache.at;
  }
}

/** To 1 %: a rate that wavers by less is the same fact. */
function roundedRate(rate: number | null): number | null {
  return rate === null ? null : Number(rate.toPrecision(2));
}
