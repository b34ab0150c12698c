import { BUDGET_DAY_MS } from '../limits';

interface ForecastFacts {
  readonly bytes: number;
  /** Bytes a second measured recently; null: not measured yet. */
  readonly rate: number | null;
  /** Null: no daily budget. */
  readonly budget: { readonly left: number; readonly dayLeftMs: number; readonly daily: number } | null;
}

/** Ms until all bytes are ashore at the current rate and budget; null if unknown. */
export function forecastMs({ bytes, rate, budget }: ForecastFacts): number | null {
  if (bytes <= 0) return 0;
  if (rate === null || rate <= 0) return null;
  const atRate = (n: number): number => (n / rate) * 1000;
  if (budget === null) return atRate(bytes);
  const today = Math.min(budget.left, (rate * budget.dayLeftMs) / 1000);
  if (bytes <= today) return atRate(bytes);
  const aDay = Math.min(budget.daily, (rate * BUDGET_DAY_MS) / 1000);
  if (aDay <= 0) return null;
  const after = bytes - today;
  // The last day ends when its bytes are sent, not at midnight.
  const wholeDays = Math.ceil(after / aDay) - 1;
  return budget.dayLeftMs + wholeDays * BUDGET_DAY_MS + atRate(after - wholeDays * aDay);
}

/** Measures throughput: acknowledged bytes over the busy time. */
export class LinkRate {
  readonly #spans: { readonly bytes: number; readonly from: number; readonly to: number }[] = [];

  /** Records a piece sent from `from` to `to`, ms of the monotonic clock. */
  note(bytes: number, from: number, to: number): void {
    this.#spans.push({ bytes, from, to });
    // The last minute counts, and at least the last four pieces.
    while (this.#spans.length > 4 && (this.#spans[0]?.to ?? to) < to - 60_000) this.#spans.shift();
    if (this.#spans.length > 64) this.#spans.shift();
  }

  bytesPerSecond(): number | null {
    let bytes = 0;
    let busy = 0;
    let until = -Infinity;
    for (const span of [...this.#spans].sort((a, b) => a.from - b.from)) {
      bytes += span.bytes;
      busy += Math.max(0, span.to - Math.max(span.from, until));
      until = Math.max(until, span.to);
    }
    if (this.#spans.length === 0) return null;
    return bytes / (Math.max(1, busy) / 1000);
  }
}
