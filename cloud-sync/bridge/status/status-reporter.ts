import type { BridgeReport, FleetReport } from '../../../src/protocol/cloud-http';
import { BUDGET_DAY_MS, REQUEST_BYTES } from '../limits';
import type { BridgeContext } from '../bridge-context';
import { reserveBudget, jsonBytes } from '../bridge-context';
import { NodeError, callNode, isItemError } from '../node-error';

/** Interval of reports to the box while work is in progress, ms. */
const REPORT_MS = 5000;

/** Reports the bridge's status to the box, for its console, and to the fleet ashore. */
export class StatusReporter {
  readonly #parts: BridgeContext;
  #boxReportedAt = -Infinity;
  #lastBoxReport = '';
  #fleetReportedAt = -Infinity;
  #lastFleetState = '';
  /** Earliest retry of a report that did not arrive, ms of the monotonic clock. */
  #fleetNotBefore = -Infinity;

  constructor(parts: BridgeContext) {
    this.#parts = parts;
  }

  /** Reports to the box after a change or an interval. A failed report stops nothing. */
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
   * True if a report to the fleet is due: after a change, else rarely, as each uses the link.
   *
   * @param paused reason why nothing moves, as in the report
   */
  isFleetDue(paused: string | null): boolean {
    const { budget, clock, limits } = this.#parts;
    const now = clock.elapsed();
    if (now < this.#fleetNotBefore) return false;
    // Beyond the day's budget only a change, or one report a day, is worth a kilobyte.
    return (
      this.#fleetState(paused) !== this.#lastFleetState ||
      now - this.#fleetReportedAt >= (budget.remainingBytes() > 0 ? limits.fleetMs : BUDGET_DAY_MS)
    );
  }

  /**
   * Reports to the fleet. A report on why nothing moves is sent even when the day's budget is used up; its bytes still
   * count.
   *
   * @throws NodeError, BudgetExhausted
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
      // An older cloud has no fleet; photographs do not wait for that.
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
