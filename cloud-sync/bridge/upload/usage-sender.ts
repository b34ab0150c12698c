import type { UsageApi } from '../link/node-apis';
import type { BridgeContext } from '../bridge-context';
import { jsonBytes, reserveBudget } from '../bridge-context';
import { NodeError, callNode, isItemError } from '../node-error';

/** Carries events of use of tablets ashore, after everything of the record. Some may count twice if a reply was lost. */
export class UsageSender {
  readonly #parts: BridgeContext;
  readonly #api: UsageApi;

  constructor(parts: BridgeContext, api: UsageApi) {
    this.#parts = parts;
    this.#api = api;
  }

  /**
   * Sends the events of one answer of the box in one request.
   *
   * @throws NodeError, BudgetExhausted
   */
  async send(signal?: AbortSignal): Promise<void> {
    const waiting = await callNode('edge', this.#api.waiting(signal));
    const last = waiting.at(-1);
    if (last === undefined) return;
    const events = waiting.map(({ event }) => event);
    await reserveBudget(this.#parts, jsonBytes(events), signal);
    try {
      await callNode('cloud', this.#api.send(events, signal));
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (error.error.code === 'rate-limited') return;
      // Events that the shore refuses would be refused for good.
      if (!isItemError(error)) throw error;
      this.#parts.log('warn', 'the cloud took no events of use', { code: error.error.code, events: events.length });
    }
    await callNode('edge', this.#api.markSent(last.n, signal));
  }
}
