import { isObject } from '../../src/domain/json';
import type { EdgeFacts, NodeFacts } from './link/node-apis';
import { relayFreeing } from './downlink/freeing';
import type { BridgeLimits } from './limits';
import { BRIDGE_LIMITS, REQUEST_BYTES } from './limits';
import type { BridgeLog } from './bridge-context';
import { BudgetExhausted, EpochChanged } from './bridge-context';
import type { BridgeStatus } from './status/status';
import { fleetReportOf, reportOf, statusOf } from './status/status';
import type { BridgeBlocker } from './node-error';
import { NodeError, callNode, backoff } from './node-error';
import { verifyAshore } from './downlink/verify';
import type { BridgeOptions, BridgePipeline } from './pipeline';
import { openPipeline } from './pipeline';

/** How often progress is shown, ms. */
const STATUS_INTERVAL_MS = 250;

const PAUSED: BridgeBlocker = {
  state: 'paused',
  text: 'The bridge was paused at the box. What is aboard stays aboard until somebody lets it go on.',
  wait: 'retry',
};
const BUDGET_EXHAUSTED: BridgeBlocker = {
  state: 'paused',
  text: 'The megabytes of this day are used up. It goes on by itself with the next day.',
  wait: 'refused',
};

/**
 * The bridge (protocol, "Chain of an edit"): brings what is on a box to the cloud, documents first, then small pictures where the
 * link is slow, then photographs, and the cloud's receipts and news back. It holds nothing of its own but two cursors and what stands
 * open behind them; it may die at any moment and be run twice.
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
  /** The box did not answer just now: it is not told how things stand. */
  #isEdgeUnreachable = false;
  /** The obstacle that the log heard of last. */
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

  /** Works until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.step(signal);
      await this.#options.timers.sleep(waitMs, signal);
    }
    await (await this.#ensurePipeline()).tracker.save();
  }

  /**
   * Does what can be done now and says how long to rest, ms. Troubles of link, box and cloud become its status; only a state
   * that cannot be saved is thrown.
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
        // A service whose parts disagree about who they are must not be asked in a circle.
        return this.#failures === 1
          ? 0
          : backoff(this.#failures, this.#limits.retryMs, this.#limits.retryMaxMs, context.random);
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
      const usual =
        blocker.wait === 'refused'
          ? this.#limits.refusedMs
          : backoff(this.#failures, this.#limits.retryMs, this.#limits.retryMaxMs, context.random);
      return blocker.waitMs ?? usual;
    } finally {
      this.#isWorking = false;
      await tracker.saveThrottled();
      await this.#report(signal);
    }
  }

  /**
   * One round: greets, brings the cloud's news home, then documents to shore, then photographs, until nothing is due.
   *
   * @throws Trouble, BudgetUsed, EpochChanged
   */
  async round(signal: AbortSignal): Promise<void> {
    const { context, documents, photographs, tracker, opUploader } = await this.#ensurePipeline();
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
    if (verifies) {
      photographs.reset();
      await verifyAshore(context, opUploader, wish, signal);
    }
    this.#allOffered = true;
    await this.#uploadPhotographs(signal);
    await this.#syncReferences(signal);
    if (frees) await relayFreeing(context, opUploader, signal);
    await this.#reportToFleet(signal);
  }

  /** What it does at the moment. */
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

  /** Who box and cloud are now; a store that changed is owed everything again. */
  async #identifyNodes(signal: AbortSignal): Promise<void> {
    const { context, tracker, downlink, photographs, previews } = await this.#ensurePipeline();
    const { edge, cloud, clock, budget } = context;
    this.#box = await callNode('edge', edge.identity(signal));
    this.#facts = await callNode('edge', edge.facts(signal));
    const from = clock.elapsed();
    // Both at once, for over a satellite each takes the better part of a second; without a budget the cloud's time comes first: it may be another day.
    const [ashore, keys] = await Promise.all([
      callNode('cloud', cloud.identity(signal)),
      budget.remainingBytes() > 0 ? downlink.fetchKeys(signal) : undefined,
    ]);
    budget.spend(REQUEST_BYTES);
    const time = Date.parse(ashore.time);
    if (Number.isFinite(time)) {
      budget.syncCloudTime(time);
      // The answer was written about half of its way ago.
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

  /** Photographs, with records going ahead of them and the console heard every few seconds. */
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
    const { context, documents, photographs, previews, tracker, opUploader } = await this.#ensurePipeline();
    const orders = await callNode('edge', context.edge.commands(signal));
    if (orders.paused) return this.#setBlocker(PAUSED);
    if (this.#isCloudDue()) await this.#pull(signal);
    await documents.push(signal);
    await photographs.checkMissing(signal);
    await previews?.send(photographs.pending(), signal);
    await photographs.settle(signal);
    // A dozen small requests: beside the photographs they cost their bytes alone, before them a dozen round trips.
    await this.#syncReferences(signal);
    if (orders.freeing === true) await relayFreeing(context, opUploader, signal);
    // A round lasts as long as its photographs, over a slow link for days.
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

  /** Bytes moved: shown a few times a second, for they come thousands of times. */
  #onProgress(): void {
    const now = this.#options.clock.elapsed();
    if (now - this.#statusEmittedAt < STATUS_INTERVAL_MS) return;
    this.#statusEmittedAt = now;
    this.#emitStatus();
  }

  /** The work never waits for the box to hear of it. */
  async #report(signal: AbortSignal): Promise<void> {
    const { context, reporter } = await this.#ensurePipeline();
    this.#emitStatus();
    const report = reportOf(context, await this.status(), this.#driftMs);
    await reporter.reportToBox(report, { isAway: this.#isEdgeUnreachable }, signal);
  }

  /** @throws Trouble, BudgetUsed */
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

  /** Why nothing moves, told to the fleet where the cloud can be reached: staff ashore would look for the fault elsewhere. */
  async #reportBlocker(signal: AbortSignal): Promise<void> {
    const { context } = await this.#ensurePipeline();
    try {
      // One that was paused before its first round has met nobody yet.
      if (!this.#isEdgeUnreachable) this.#box ??= await callNode('edge', context.edge.identity(signal));
      await this.#reportToFleet(signal);
    } catch (error) {
      // It is said again after a while; what stands in the way is the obstacle that was met first.
      if (!(error instanceof NodeError)) throw error;
    }
  }
}
