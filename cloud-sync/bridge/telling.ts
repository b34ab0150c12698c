import type { BridgeReport, FleetReport } from '../../src/protocol/cloud-http';
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
      log('warn', 'the box did not take the report of its bridge', { reason: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Whether the fleet is to hear of the box: rarely, for each time costs a little of the link. */
  fleetIsDue(): boolean {
    const { clock, limits } = this.#parts;
    return this.#state() !== this.#fleetHeard || clock.elapsed() - this.#fleetAt >= limits.fleetMs;
  }

  /** @throws Trouble, BudgetUsed */
  async fleet(report: FleetReport, signal: AbortSignal): Promise<void> {
    const { clock, cloud, log } = this.#parts;
    await admit(this.#parts, jsonBytes(report), signal);
    this.#fleetAt = clock.elapsed();
    this.#fleetHeard = this.#state();
    try {
      await at('cloud', cloud.report(report, signal));
    } catch (error) {
      // An older cloud keeps no fleet; photographs do not wait for that.
      if (!(error instanceof Trouble) || !isOfOneItem(error)) throw error;
      log('warn', 'the cloud did not take the report of the box', { code: error.error.code });
    }
  }

  #state(): string {
    const { book } = this.#parts;
    return `${book.edgeEpoch} ${book.open.size === 0 ? 'all ashore' : 'owed'}`;
  }
}
