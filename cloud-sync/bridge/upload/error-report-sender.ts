import type { ErrorReportApi } from '../link/node-apis';
import type { BridgeContext } from '../bridge-context';
import { jsonBytes, reserveBudget } from '../bridge-context';
import type { NodeError } from '../node-error';
import { callNode, isItemError, nodeErrorOf } from '../node-error';

/**
 * Carries error reports of tablets ashore, after everything of the record: nothing waits for them. One may arrive twice
 * if its reply was lost.
 */
export class ErrorReportSender {
  readonly #parts: BridgeContext;
  readonly #api: ErrorReportApi;

  constructor(parts: BridgeContext, api: ErrorReportApi) {
    this.#parts = parts;
    this.#api = api;
  }

  /**
   * Sends the reports of one answer of the box; a shore that has enough of them gets the others later.
   *
   * @throws NodeError, BudgetExhausted
   */
  async send(signal?: AbortSignal): Promise<void> {
    const waiting = await callNode('edge', this.#api.waiting(signal));
    let sent = 0;
    try {
      for (const { n, report } of waiting) {
        await reserveBudget(this.#parts, jsonBytes(report), signal);
        const failure = await this.#failureOf(this.#api.send(report, signal));
        if (failure?.error.code === 'rate-limited') return;
        // A report that the shore refuses would be refused for good.
        if (failure !== null && !isItemError(failure)) throw failure;
        sent = n;
      }
    } finally {
      if (sent > 0) await callNode('edge', this.#api.markSent(sent, signal));
    }
  }

  async #failureOf(sending: Promise<void>): Promise<NodeError | null> {
    try {
      await sending;
      return null;
    } catch (error) {
      return nodeErrorOf('cloud', error);
    }
  }
}
