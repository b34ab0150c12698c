import type { BridgeReport, FleetReport } from '../../../src/protocol/cloud-http';
import { BUDGET_DAY_MS, REQUEST_BYTES } from '../limits';
import type { BridgeContext } from '../bridge-context';
import { reserveBudget, jsonBytes } from '../bridge-context';
import { NodeError, callNode, isItemError } from '../node-error';

/** How often the box hears how things stand while they move, ms. */
const REPORT_MS = 5000;

/** Says how the work stands: to the box, for its console, and to the fleet ashore. */
export class StatusReporter {
  readonly #parts: BridgeContext;
  #boxReportedAt = -Infinity;
  #lastBoxReport = '';
  #fleetReportedAt = -Infinity;
  #lastFleetState = '';
  /** After a report that did not arrive, ms of the monotonic clock. */
  #fleetNotBefore = -Infinity;

  constructor(parts: BridgeContext) {
    this.#parts = parts;
  }

  /** Tells the box, where something changed or some time has passed. One that does not hear it stops nothing. */
  async reportToBox(
    report: BridgeReport,
    { isAway }: { readonly isAway: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, edge, log } = this.#parts;
    const now = clock.elapsed();
    const text = `${report.state} ${report.words} ${report.verified?.at}`;
    if (text === this.#lastBoxReport && now - this.#boxReportedAt < REPORT_MS) return;
    this.#boxReportedAt = now;
    if (signal.aborted || isAway) return;
    try {
      await edge.report(report, signal);
      this.#lastBoxReport = text;
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
  isFleetDue(paused: string | null): boolean {
    const { budget, clock, limits } = this.#parts;
    const now = clock.elapsed();
    if (now < this.#fleetNotBefore) return false;
    // Beyond the day's budget a change is worth a kilobyte, and a word a day.
    return (
      this.#fleetState(paused) !== this.#lastFleetState ||
      now - this.#fleetReportedAt >= (budget.remainingBytes() > 0 ? limits.fleetMs : BUDGET_DAY_MS)
    );
  }

  /**
   * Tells the fleet. What says why nothing moves goes even when the day's budget is used up: it is counted all the same.
   *
   * @throws Trouble, BudgetUsed
   */
  async reportToFleet(report: FleetReport, signal: AbortSignal): Promise<void> {
    const { budget, cap, clock, cloud, limits, log } = this.#parts;
    const bytes = jsonBytes(report);
    if (report.paused === null) await reserveBudget(this.#parts, bytes, signal);
    else {
      budget.spend(bytes + REQUEST_BYTES);
      await cap.acquire(bytes + REQUEST_BYTES, signal);
    }
    this.#fleetNotBefore = clock.elapsed() + limits.cloudPollMs;
    try {
      await callNode('cloud', cloud.report(report, signal));
    } catch (error) {
      // An older cloud keeps no fleet; photographs do not wait for that.
      if (!(error instanceof NodeError) || !isItemError(error)) throw error;
      log('warn', 'the cloud did not take the report of the box', { code: error.error.code });
    }
    this.#fleetNotBefore = -Infinity;
    this.#fleetReportedAt = clock.elapsed();
    this.#lastFleetState = this.#fleetState(report.paused);
  }

  #fleetState(paused: string | null): string {
    const { tracker } = this.#parts;
    return `${tracker.edgeEpoch} ${tracker.open.size === 0 ? 'all ashore' : 'owed'} ${paused ?? 'moves'}`;
  }
}
