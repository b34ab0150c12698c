import type { CloudApi, EdgeApi } from './link/node-apis';
import type { SyncTracker } from './state/sync-tracker';
import type { DayBudget, RateCap } from './state/budget';
import type { LinkRate } from './status/forecast';
import type { BridgeLimits } from './limits';
import { REQUEST_BYTES } from './limits';
import type { BridgeClock, BridgeTimers } from './runtime';

/** A line for the log; `fields` names no person. */
export type BridgeLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** What the parts of a bridge share. */
export interface BridgeContext {
  readonly edge: EdgeApi;
  readonly cloud: CloudApi;
  readonly clock: BridgeClock;
  readonly timers: BridgeTimers;
  /** A fraction, 0 ≤ f < 1. */
  readonly random: () => number;
  readonly limits: BridgeLimits;
  readonly tracker: SyncTracker;
  readonly budget: DayBudget;
  readonly cap: RateCap;
  readonly rate: LinkRate;
  readonly log: BridgeLog;
  /** The box's node id, once it was met. */
  node(): string;
}

/** The budget of the day is used up. */
export class BudgetExhausted extends Error {
  override readonly name = 'BudgetExhausted';
}

/** A store is another than at the last look: the round begins again with what is owed to that one. */
export class EpochChanged extends Error {
  override readonly name = 'EpochChanged';
}

/**
 * Lets a request to the cloud go: within the day's budget, at the rate of the cap.
 *
 * @param bytes of its body
 * @throws BudgetUsed
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

/** Counts what the cloud answered. */
export function countReceived({ budget }: BridgeContext, answer: unknown): void {
  budget.spend(jsonBytes(answer));
}

/** Bytes of a value as JSON, near enough for rates and budgets. */
export function jsonBytes(value: unknown): number {
  return JSON.stringify(value ?? null).length;
}

/** How many bytes fill the link for a piece's time, within the bounds of a piece. */
export function pieceBytes({ rate, limits }: BridgeContext): number {
  const measured = rate.bytesPerSecond();
  if (measured === null) return limits.pieceBytesMin;
  // Several pieces share the link.
  const each = (measured / limits.concurrentPhotographs) * (limits.pieceMs / 1000);
  return Math.max(limits.pieceBytesMin, Math.min(limits.pieceBytesMax, Math.floor(each)));
}

/** The most that a request of so many bytes may take before it counts as lost, ms. */
export function timeoutFor({ rate, limits }: BridgeContext, bytes: number): number {
  const measured = rate.bytesPerSecond();
  return (
    limits.responseTimeoutMs +
    (measured === null
      ? 4 * limits.pieceMs
      : Math.min(10 * 60_000, (4 * bytes * limits.concurrentPhotographs * 1000) / measured))
  );
}
