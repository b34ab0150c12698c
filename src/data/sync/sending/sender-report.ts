import type { TransferSample } from '../../../domain/custody/transfer-estimate';
import { RATE_WINDOW_MS, transferRate } from '../../../domain/custody/transfer-estimate';
import type { WireError } from '../../../domain/errors';
import type { OpId } from '../../../domain/ids';
import type { Clock } from '../../../platform/host';
import { ObservableValue, isJsonEqual } from '../../../base/observable';

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

export const IDLE: SenderFacts = { active: false, inFlight: [], rate: null, problem: null, nextTryAt: null };

/** Report of the sender's work: items in flight, rate, last failure, next try. */
export class SenderReport {
  readonly facts = new ObservableValue<SenderFacts>(IDLE, isJsonEqual);
  problem: WireError | null = null;
  readonly #items = new Map<OpId, { docId: string; sent: number; bytes: number }>();
  /** Recently sent bytes, for the rate. */
  #landedBytes: TransferSample[] = [];
  #since = 0;
  #shownTimeCache: { readonly until: number; readonly at: number } | undefined;

  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts the rate measurement of a new connection. */
  begin(): void {
    this.#since = this.#clock.elapsed();
  }

  get inFlight(): ReadonlySet<OpId> {
    return new Set(this.#items.keys());
  }

  /** Adds an item in flight; `bytes` of a photograph, 0 of a record. */
  startItem(opId: OpId, docId: string, bytes: number): void {
    this.#items.set(opId, { docId, sent: 0, bytes });
    this.notify(true);
  }

  /** Updates an item in flight: `sent` of `bytes` are at the store, `fresh` of them since the last update. */
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

  /**
   * Removes an item from those in flight, whatever its outcome. The next item, wait or end publishes it, so that
   * sending does not seem to stop between two items.
   */
  finishItem(opId: OpId): void {
    this.#items.delete(opId);
  }

  /** Reports that nothing can be sent before `until` (by `elapsed`; null: until something changes). */
  waitUntil(until: number | null): void {
    this.notify(true, this.#shownTime(until));
  }

  /** Publishes the current state. */
  notify(active: boolean, nextTryAt: number | null = this.facts.get().nextTryAt): void {
    this.facts.set({
      active,
      inFlight: [...this.#items].map(([opId, progress]) => ({ opId, ...progress })),
      rate: roundedRate(transferRate(this.#landedBytes, this.#since, this.#clock.elapsed())),
      problem: this.problem,
      nextTryAt: this.#items.size > 0 ? null : nextTryAt,
    });
  }

  /** Wall-clock equivalent of a time by `elapsed`; cached, so that the same plan yields equal facts. */
  #shownTime(until: number | null): number | null {
    if (until === null) return null;
    if (this.#shownTimeCache?.until !== until)
      this.#shownTimeCache = { until, at: Math.round(this.#clock.now() + until - this.#clock.elapsed()) };
    return this.#shownTimeCache.at;
  }
}

/** Rounds to two digits: a smaller change of the rate is the same fact. */
function roundedRate(rate: number | null): number | null {
  return rate === null ? null : Number(rate.toPrecision(2));
}
