import type { BridgeReport, FleetReport } from '../../src/protocol/cloud-http';
import { BUDGET_DAY_MS, REQUEST_BYTES } from './limits';
import type { Parts } from './parts';
import { admit, jsonBytes } from './parts';
import { Trouble, at, isOfOneItem } from './trouble';

/** How often the box hears how things stand while they move, ms. */
const REPORT_MS = 5000;

/** Says how the work stands: to the box, for its console, and to the fleet ashore. */
export class Telling {
  readonly #parts: Parts;
  #boxAt = -Infinity;
  #boxHeard = '';
  #fleetAt = -Infinity;
  #fleetHeard = '';
  /** After a report that did not arrive, ms of the monotonic clock. */
  #fleetNotBefore = -Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Tells the box, where something changed or some time has passed. One that does not hear it stops nothing. */
  async box(report: BridgeReport, { isAway }: { readonly isAway: boolean }, signal: AbortSignal): Promise<void> {
    const { clock, edge, log } = this.#parts;
    const now = clock.elapsed();
    const text = `${report.state} ${report.words} ${report.verified?.at}`;
    if (text === this.#boxHeard && now - this.#boxAt < REPORT_MS) return;
    this.#boxAt = now;
    if (signal.aborted || isAway) return;
    try {
      await edge.report(report, signal);
      this.#boxHeard = text;
    } catch (error) {
      log('warn', 'the box did not take the report of its bridge', {
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }

  /**
   * Whether the fleet is to hear of the box: when something changed, else rarely, for each time costs a little of the link.
   *
   * @param paused why nothing moves, as the report would say it
   */
  fleetIsDue(paused: string | null): boolean {
    const { budget, clock, limits } = this.#parts;
    const now = clock.elapsed();
    if (now < this.#fleetNotBefore) return false;
    // Beyond the day's budget a change is worth a kilobyte, and a word a day.
    return (
      this.#state(paused) !== this.#fleetHeard ||
      now - this.#fleetAt >= (budget.left() > 0 ? limits.fleetMs : BUDGET_DAY_MS)
    );
  }

  /**
   * Tells the fleet. What says why nothing moves goes even when the day's budget is used up: it is counted all the same.
   *
   * @throws Trouble, BudgetUsed
   */
  async fleet(report: FleetReport, signal: AbortSignal): Promise<void> {
    const { budget, cap, clock, cloud, limits, log } = this.#parts;
    const bytes = jsonBytes(report);
    if (report.paused === null) await admit(this.#parts, bytes, signal);
    else {
      budget.spend(bytes + REQUEST_BYTES);
      await cap.take(bytes + REQUEST_BYTES, signal);
    }
    this.#fleetNotBefore = clock.elapsed() + limits.cloudPollMs;
    try {
      await at('cloud', cloud.report(report, signal));
    } catch (error) {
      // An older cloud keeps no fleet; photographs do not wait for that.
      if (!(error instanceof Trouble) || !isOfOneItem(error)) throw error;
      log('warn', 'the cloud did not take the report of the box', { code: error.error.code });
    }
    this.#fleetNotBefore = -Infinity;
    this.#fleetAt = clock.elapsed();
    this.#fleetHeard = this.#state(report.paused);
  }

  #state(paused: string | null): string {
    const { book } = this.#parts;
    return `${book.edgeEpoch} ${book.open.size === 0 ? 'all ashore' : 'owed'} ${paused ?? 'moves'}`;
  }
}
