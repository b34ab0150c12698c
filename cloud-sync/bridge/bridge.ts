import { backoffDelay } from '../../src/base/backoff';
import { isObject } from '../../src/domain/json';
import type { EdgeFacts, NodeFacts } from './link/node-apis';
import { relayFreeing } from './downlink/freeing';
import type { BridgeLimits } from './limits';
import { BRIDGE_LIMITS, REQUEST_BYTES } from './limits';
import type { BridgeContext, BridgeLog } from './bridge-context';
import { BudgetExhausted, EpochChanged } from './bridge-context';
import type { BridgeStatus } from './status/status';
import { fleetReportOf, reportOf, statusOf } from './status/status';
import type { BridgeBlocker } from './node-error';
import { NodeError, callNode } from './node-error';
import { verifyAshore } from './downlink/verify';
import type { BridgeOptions, BridgePipeline } from './pipeline';
import { openPipeline } from './pipeline';

/** Interval between status updates, ms. */
const STATUS_INTERVAL_MS = 250;

const PAUSED: BridgeBlocker = {
  state: 'paused',
  text: 'The bridge is paused at the box. Everything stays on the box until someone resumes it.',
  wait: 'retry',
};
const BUDGET_EXHAUSTED: BridgeBlocker = {
  state: 'paused',
  text: 'Today’s data budget is used up. Sending resumes automatically tomorrow.',
  wait: 'refused',
};

/**
 * The bridge (protocol, "Chain of an edit"): uploads a box's documents, previews over a slow link, then photographs;
 * downloads receipts and changes. Its only state is two cursors and the open items behind them; it may be killed at any
 * moment and run twice.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #limits: BridgeLimits;
  readonly #log: BridgeLog;
  #pipeline: BridgePipeline | undefined;
  #box: NodeFacts | null = null;
  #facts: EdgeFacts | null = null;
  #isIdentified = false;
  #allOffered = false;
  #isWorking = false;
  #blocker: BridgeBlocker | null = null;
  /** True if the box did not answer just now: it gets no report. */
  #isEdgeUnreachable = false;
  #lastLogged = '';
  #failures = 0;
  #driftMs: number | null = null;
  #cloudPulledAt = -Infinity;
  #referencesSyncedAt = -Infinity;
  #statusEmittedAt = -Infinity;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#limits = { ...BRIDGE_LIMITS, ...options.limits };
    this.#log = options.log ?? (() => undefined);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.step(signal);
      await this.#options.timers.sleep(waitMs, signal);
    }
    await (await this.#ensurePipeline()).tracker.save();
  }

  /**
   * Does what is due and returns the wait until the next step, ms. Only a failed save is thrown; other errors become
   * its status.
   */
  async step(signal: AbortSignal): Promise<number> {
    const { context, tracker } = await this.#ensurePipeline();
    try {
      this.#isEdgeUnreachable = false;
      await this.round(signal);
      this.#failures = 0;
      if (this.#blocker === null) this.#lastLogged = '';
      return this.#limits.edgePollMs;
    } catch (error) {
      if (signal.aborted) return 0;
      if (error instanceof EpochChanged) {
        this.#isIdentified = false;
        this.#failures++;
        // A service with inconsistent identities must not be asked in a tight loop.
        return this.#failures === 1 ? 0 : this.#retryDelay(context);
      }
      if (error instanceof BudgetExhausted) {
        this.#setBlocker(BUDGET_EXHAUSTED);
        await this.#reportBlocker(signal);
        return Math.min(this.#limits.refusedMs, context.budget.msUntilNextDay());
      }
      if (!(error instanceof NodeError)) throw error;
      this.#isIdentified = false;
      this.#failures++;
      this.#isEdgeUnreachable = error.side === 'edge';
      const { blocker } = error;
      this.#setBlocker(blocker, error);
      if (error.isReportable) await this.#reportBlocker(signal);
      return blocker.waitMs ?? (blocker.wait === 'refused' ? this.#limits.refusedMs : this.#retryDelay(context));
    } finally {
      this.#isWorking = false;
      await tracker.saveThrottled();
      await this.#report(signal);
    }
  }

  #retryDelay({ random }: BridgeContext): number {
    const { retryMs: firstMs, retryMaxMs: maxMs } = this.#limits;
    return backoffDelay(this.#failures, { firstMs, maxMs }, random);
  }

  /**
   * Runs one round: identifies both nodes, downloads changes, uploads documents, then photographs, until nothing is
   * due.
   *
   * @throws NodeError, BudgetExhausted, EpochChanged
   */
  async round(signal: AbortSignal): Promise<void> {
    const { context, documents, downlink, errorReports, maps, outlines, photographs, tracker, opUploader, usage } =
      await this.#ensurePipeline();
    const { edge } = context;
    const orders = await callNode('edge', edge.commands(signal));
    if (orders.paused) {
      this.#setBlocker(PAUSED);
      return this.#reportBlocker(signal);
    }
    const frees = orders.freeing === true;
    const first = !this.#isIdentified;
    if (first) await this.#identifyNodes(signal);
    const wish = orders.verifyRequestedAt;
    const verifies = wish !== null && wish !== tracker.verified?.wish;
    const news = first || this.#isCloudDue();
    const due = (await documents.hasPending(signal)) || photographs.isDue() || this.#hasDueItems();
    this.#blocker = null;
    if (!news && !due && !verifies && !frees) return;
    this.#isWorking = due || verifies;
    if (news) await this.#pull(signal);
    await documents.push(signal);
    await downlink.people(signal);
    if (verifies) {
      photographs.reset();
      await verifyAshore(context, opUploader, wish, signal);
    }
    this.#allOffered = true;
    await this.#uploadPhotographs(signal);
    await this.#syncReferences(signal);
    if (frees) await relayFreeing(context, opUploader, signal);
    await this.#reportToFleet(signal);
    if (!news) return;
    await errorReports?.send(signal);
    await usage?.send(signal);
    await outlines?.bring(signal);
    await maps?.bring(signal);
  }

  async status(): Promise<BridgeStatus> {
    const { context, photographs } = await this.#ensurePipeline();
    return statusOf(context, photographs, {
      blocker: this.#blocker,
      isWorking: this.#isWorking,
      facts: this.#facts,
      allOffered: this.#allOffered,
    });
  }

  async #ensurePipeline(): Promise<BridgePipeline> {
    if (this.#pipeline !== undefined) return this.#pipeline;
    const made = await openPipeline(this.#options, this.#limits, {
      log: this.#log,
      node: () => this.#box?.node ?? '',
      onProgress: () => this.#onProgress(),
    });
    this.#pipeline ??= made;
    return this.#pipeline;
  }

  /** Identifies box and cloud; a store with a new epoch is owed everything again. */
  async #identifyNodes(signal: AbortSignal): Promise<void> {
    const { context, tracker, downlink, maps, outlines, photographs, previews } = await this.#ensurePipeline();
    const { edge, cloud, clock, budget } = context;
    this.#box = await callNode('edge', edge.identity(signal));
    this.#facts = await callNode('edge', edge.facts(signal));
    const from = clock.elapsed();
    // In parallel: each takes most of a second over a satellite. Without a budget the time comes first: it may be
    // another day.
    const [ashore, keys] = await Promise.all([
      callNode('cloud', cloud.identity(signal)),
      budget.remainingBytes() > 0 ? downlink.fetchKeys(signal) : undefined,
    ]);
    budget.spend(REQUEST_BYTES);
    const time = Date.parse(ashore.time);
    if (Number.isFinite(time)) {
      budget.syncCloudTime(time);
      // The answer was written about half a round trip ago.
      this.#driftMs = Math.round(
        time + (clock.elapsed() - from) / 2 - Date.parse(this.#box.time) - (clock.elapsed() - from),
      );
    }
    const changes = [
      tracker.updateEpoch('edge', this.#box.storeEpoch),
      tracker.updateEpoch('cloud', ashore.storeEpoch),
    ];
    if (changes.some((change) => change !== 'same')) {
      downlink.reset();
      photographs.reset();
      previews?.reset();
      outlines?.reset();
      maps?.reset();
      this.#allOffered = false;
      this.#referencesSyncedAt = -Infinity;
      if (changes.includes('changed'))
        this.#log('warn', 'the store of the box or of the cloud is another than before; everything is offered again', {
          edge: changes[0],
          cloud: changes[1],
        });
      await tracker.save();
    }
    await downlink.forwardKeys(keys ?? (await downlink.fetchKeys(signal)), signal);
    this.#isIdentified = true;
  }

  async #pull(signal: AbortSignal): Promise<void> {
    await (await this.#ensurePipeline()).downlink.pull(signal);
    this.#cloudPulledAt = this.#options.clock.elapsed();
  }

  async #syncReferences(signal: AbortSignal): Promise<void> {
    if (this.#options.clock.elapsed() - this.#referencesSyncedAt < this.#limits.referenceMs) return;
    const { downlink, opUploader } = await this.#ensurePipeline();
    const news = await downlink.syncReferences(signal);
    await downlink.boxKeys(signal);
    this.#referencesSyncedAt = this.#options.clock.elapsed();
    const priorities = news.get('survey-priorities');
    if (!isObject(priorities)) return;
    for (const [surveyId, priority] of Object.entries(priorities))
      if (typeof priority === 'number') opUploader.priorities.set(surveyId, priority);
  }

  /** Uploads photographs while records go ahead and the console is updated. */
  async #uploadPhotographs(signal: AbortSignal): Promise<void> {
    const { context, photographs, previews } = await this.#ensurePipeline();
    await photographs.checkMissing(signal);
    if (!photographs.isDue()) return;
    this.#isWorking = true;
    await previews?.send(photographs.pending(), signal);
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const done = new AbortController();
    const sending = photographs.send(both).finally(() => done.abort());
    const over = AbortSignal.any([both, done.signal]);
    const ticking = (async () => {
      try {
        for (;;) {
          await context.timers.sleep(this.#limits.tickMs, over);
          if (over.aborted) return;
          await this.#tick(both);
          if (this.#blocker !== null) return stop.abort();
        }
      } catch (error) {
        stop.abort();
        throw error;
      }
    })();
    const [sent, ticked] = await Promise.allSettled([sending, ticking]);
    if (sent.status === 'rejected') throw sent.reason;
    if (ticked.status === 'rejected') throw ticked.reason;
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { context, documents, downlink, photographs, previews, tracker, opUploader } = await this.#ensurePipeline();
    const orders = await callNode('edge', context.edge.commands(signal));
    if (orders.paused) return this.#setBlocker(PAUSED);
    if (this.#isCloudDue()) await this.#pull(signal);
    await documents.push(signal);
    await downlink.people(signal);
    await photographs.checkMissing(signal);
    await previews?.send(photographs.pending(), signal);
    await photographs.settle(signal);
    // A dozen small requests: during the photographs they cost only their bytes, not round trips.
    await this.#syncReferences(signal);
    if (orders.freeing === true) await relayFreeing(context, opUploader, signal);
    // A round lasts as long as its photographs: days over a slow link.
    await this.#reportToFleet(signal);
    await tracker.saveThrottled();
    await this.#report(signal);
  }

  #isCloudDue(): boolean {
    return this.#options.clock.elapsed() - this.#cloudPulledAt >= this.#limits.cloudPollMs;
  }

  #hasDueItems(): boolean {
    const book = this.#pipeline?.tracker;
    if (book === undefined) return false;
    return (
      [...book.open.values()].some(({ opId, blob }) => blob === null && book.isDue(opId)) ||
      [...book.rejected.keys()].some((seq) => book.isDue(seq))
    );
  }

  #setBlocker(obstacle: BridgeBlocker, trouble?: NodeError): void {
    if (this.#lastLogged !== obstacle.text)
      this.#log(
        obstacle.state === 'refused' ? 'error' : 'warn',
        obstacle.text,
        trouble === undefined ? {} : { side: trouble.side, code: trouble.error.code },
      );
    this.#lastLogged = obstacle.text;
    this.#blocker = obstacle;
    this.#emitStatus();
  }

  #emitStatus(): void {
    const { onStatus } = this.#options;
    const work = this.#pipeline;
    if (onStatus === undefined || work === undefined) return;
    onStatus(
      statusOf(work.context, work.photographs, {
        blocker: this.#blocker,
        isWorking: this.#isWorking,
        facts: this.#facts,
        allOffered: this.#allOffered,
      }),
    );
  }

  /** Throttles status updates, as bytes move thousands of times. */
  #onProgress(): void {
    const now = this.#options.clock.elapsed();
    if (now - this.#statusEmittedAt < STATUS_INTERVAL_MS) return;
    this.#statusEmittedAt = now;
    this.#emitStatus();
  }

  async #report(signal: AbortSignal): Promise<void> {
    const { context, reporter } = await this.#ensurePipeline();
    this.#emitStatus();
    const report = reportOf(context, await this.status(), this.#driftMs);
    await reporter.reportToBox(report, { isAway: this.#isEdgeUnreachable }, signal);
  }

  /** @throws NodeError, BudgetExhausted */
  async #reportToFleet(signal: AbortSignal): Promise<void> {
    const { context, photographs, reporter } = await this.#ensurePipeline();
    const paused = this.#blocker?.text ?? null;
    if (this.#box === null || !reporter.isFleetDue(paused)) return;
    this.#facts =
      this.#isEdgeUnreachable && this.#facts !== null
        ? this.#facts
        : await callNode('edge', context.edge.facts(signal));
    const { owed } = await this.status();
    await reporter.reportToFleet(
      fleetReportOf(context, photographs, { box: this.#box, facts: this.#facts, owed, driftMs: this.#driftMs, paused }),
      signal,
    );
  }

  /** Reports to the fleet why nothing moves, so that staff look for the fault in the right place. */
  async #reportBlocker(signal: AbortSignal): Promise<void> {
    const { context } = await this.#ensurePipeline();
    try {
      // A bridge that was paused before its first round has not identified the box yet.
      if (!this.#isEdgeUnreachable) this.#box ??= await callNode('edge', context.edge.identity(signal));
      await this.#reportToFleet(signal);
    } catch (error) {
      // The report is repeated later; the blocker that came first stays.
      if (!(error instanceof NodeError)) throw error;
    }
  }
}
