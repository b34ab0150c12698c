import { backoffDelay } from '../../src/base/backoff';
import type { CloudApi, EdgeApi } from './link/node-apis';
import type { SyncTracker } from './state/sync-tracker';
import type { DayBudget, RateCap } from './state/budget';
import type { LinkRate } from './status/forecast';
import type { BridgeLimits } from './limits';
import { REQUEST_BYTES } from './limits';
import type { BridgeClock, BridgeTimers } from './runtime';

/** Logger; `fields` identifies no person. */
export type BridgeLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** Shared state of the bridge's parts. */
export interface BridgeContext {
  readonly edge: EdgeApi;
  readonly cloud: CloudApi;
  readonly clock: BridgeClock;
  readonly timers: BridgeTimers;
  /** Random fraction, 0 ≤ f < 1. */
  readonly random: () => number;
  readonly limits: BridgeLimits;
  readonly tracker: SyncTracker;
  readonly budget: DayBudget;
  readonly cap: RateCap;
  readonly rate: LinkRate;
  readonly log: BridgeLog;
  /** The box's node id, once identified. */
  node(): string;
}

/** Thrown when the day's budget is used up. */
export class BudgetExhausted extends Error {
  override readonly name = 'BudgetExhausted';
}

/** Thrown when a store's epoch changed: the round restarts. */
export class EpochChanged extends Error {
  override readonly name = 'EpochChanged';
}

/**
 * Reserves budget and bandwidth for a request to the cloud.
 *
 * @param bytes of its body
 * @throws BudgetExhausted
 */
export async function reserveBudget(
  { budget, cap }: BridgeContext,
  bytes: number,
  signal?: AbortSignal,
): Promise<void> {
  if (budget.remainingBytes() <= 0) throw new BudgetExhausted();
  budget.spend(bytes + REQUEST_BYTES);
  await cap.acquire(bytes + REQUEST_BYTES, signal);
}

export function countReceived({ budget }: BridgeContext, answer: unknown): void {
  budget.spend(jsonBytes(answer));
}

/** Approximate JSON size of a value, bytes. */
export function jsonBytes(value: unknown): number {
  return JSON.stringify(value ?? null).length;
}

/** Earliest retry of an item after so many failed tries, ms of the monotonic clock. */
export function nextItemRetry({ clock, limits, random }: BridgeContext, tries: number): number {
  const { itemRetryMs: firstMs, itemRetryMaxMs: maxMs } = limits;
  return clock.elapsed() + backoffDelay(tries, { firstMs, maxMs }, random);
}

/** Bytes that fill the link for a piece's time, within the piece limits. */
export function pieceBytes({ rate, limits }: BridgeContext): number {
  const measured = rate.bytesPerSecond();
  if (measured === null) return limits.pieceBytesMin;
  const each = (measured / limits.concurrentPhotographs) * (limits.pieceMs / 1000);
  return Math.max(limits.pieceBytesMin, Math.min(limits.pieceBytesMax, Math.floor(each)));
}

/** Time after which a request of so many bytes counts as lost, ms. */
export function timeoutFor({ rate, limits }: BridgeContext, bytes: number): number {
  const measured = rate.bytesPerSecond();
  return (
    limits.responseTimeoutMs +
    (measured === null
      ? 4 * limits.pieceMs
      : Math.min(10 * 60_000, (4 * bytes * limits.concurrentPhotographs * 1000) / measured))
  );
}
