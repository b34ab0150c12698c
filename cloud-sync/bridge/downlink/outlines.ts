import { backoffDelay } from '../../../src/base/backoff';
import type { WantedOutlines } from '../../../src/protocol/edge-http';
import type { OutlineApi } from '../link/node-apis';
import type { BridgeContext } from '../bridge-context';
import { reserveBudget } from '../bridge-context';
import { NodeError, callNode, isItemError } from '../node-error';

/** Longest turn of the outlines in a round, ms: new records and commands of the crew come first. */
const TURN_MS = 30_000;
/** Remembered photographs without outlines. */
const REMEMBERED_MAX = 100_000;

/** Part of a day's budget that stays for records and photographs. */
const RESERVED = 0.5;

/**
 * Brings outlines of the box's photographs aboard, after everything else, so that people label them without a link. The
 * box knows which it lacks, so an interruption costs one of them.
 */
export class OutlineDownloader {
  readonly #parts: BridgeContext;
  readonly #api: OutlineApi;
  #after: string | null = null;
  #pausedUntil = -Infinity;
  /** Photographs that had no outlines: tries so far, and when to ask again (monotonic, ms). */
  readonly #none = new Map<string, { readonly tries: number; readonly from: number }>();

  constructor(parts: BridgeContext, api: OutlineApi) {
    this.#parts = parts;
    this.#api = api;
  }

  /** Starts over, for another box or cloud. */
  reset(): void {
    this.#after = null;
    this.#pausedUntil = -Infinity;
    this.#none.clear();
  }

  /** Brings outlines for at most half a minute. @throws NodeError */
  async bring(signal?: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const until = clock.elapsed() + TURN_MS;
    while (clock.elapsed() < until && clock.elapsed() >= this.#pausedUntil && this.#mayReceive()) {
      const page = await callNode('edge', this.#api.wanted(this.#after, signal));
      for (const photograph of page?.wanted ?? []) {
        if (clock.elapsed() >= until || !this.#mayReceive()) return;
        if (!(await this.#bringOne(photograph, signal))) return this.#pause();
        this.#after = photograph.imageId;
      }
      this.#after = page?.next ?? null;
      if (this.#after === null) return this.#pause();
    }
  }

  /** Ends the turn: all photographs were gone through, or there is no room. */
  #pause(): void {
    this.#pausedUntil = this.#parts.clock.elapsed() + this.#parts.limits.outlinesMs;
  }

  /** False while the rest of the day's budget is for records and photographs. */
  #mayReceive(): boolean {
    const { budget } = this.#parts;
    return budget.daily === null || budget.remainingBytes() > RESERVED * budget.daily;
  }

  /** False if the box has no room. @throws NodeError */
  async #bringOne(photograph: WantedOutlines, signal?: AbortSignal): Promise<boolean> {
    const { imageId } = photograph;
    const { clock, limits, log, random } = this.#parts;
    const before = this.#none.get(imageId);
    if (before !== undefined && before.from > clock.elapsed()) return true;
    try {
      await reserveBudget(this.#parts, 0, signal);
      const found = await callNode('cloud', this.#api.fetch(photograph, signal));
      if (found !== null) {
        this.#parts.budget.spend(found.bytes);
        await callNode('edge', this.#api.store(photograph, found.collection, signal));
        this.#none.delete(imageId);
        return true;
      }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (error.side === 'edge' && error.error.code === 'storage-full') return false;
      if (!isItemError(error)) throw error;
      log('warn', 'outlines of a photograph were refused', { side: error.side, code: error.error.code, imageId });
    }
    const tries = (before?.tries ?? 0) + 1;
    if (this.#none.size >= REMEMBERED_MAX) this.#none.clear();
    const delays = { firstMs: limits.outlinesMs, maxMs: limits.outlinesMaxMs };
    this.#none.set(imageId, { tries, from: clock.elapsed() + backoffDelay(tries, delays, random) });
    return true;
  }
}
