import { isObject } from '../../src/domain/json';
import type { EdgeFacts, NodeFacts } from './apis';
import { freeAboard } from './freeing';
import type { BridgeLimits } from './limits';
import { BRIDGE_LIMITS, REQUEST_BYTES } from './limits';
import type { BridgeLog } from './parts';
import { BudgetUsed, EpochChanged } from './parts';
import type { BridgeStatus } from './status';
import { fleetReportOf, reportOf, statusOf } from './status';
import type { Obstacle } from './trouble';
import { Trouble, at, backoff } from './trouble';
import { verifyAshore } from './verify';
import type { BridgeOptions, Work } from './work';
import { openWork } from './work';

/** How often progress is shown, ms. */
const SHOW_MS = 250;

const PAUSED: Obstacle = {
  state: 'paused',
  words: 'The bridge was paused at the box. What is aboard stays aboard until somebody lets it go on.',
  wait: 'retry',
};
const BUDGET: Obstacle = {
  state: 'paused',
  words: 'The megabytes of this day are used up. It goes on by itself with the next day.',
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
  #work: Work | undefined;
  #box: NodeFacts | null = null;
  #facts: EdgeFacts | null = null;
  #met = false;
  #complete = false;
  #working = false;
  #obstacle: Obstacle | null = null;
  /** The box did not answer just now: it is not told how things stand. */
  #edgeAway = false;
  /** The obstacle that the log heard of last. */
  #said = '';
  #failures = 0;
  #driftMs: number | null = null;
  #cloudAt = -Infinity;
  #referencesAt = -Infinity;
  #shownAt = -Infinity;

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
    await (await this.#open()).book.save();
  }

  /**
   * Does what can be done now and says how long to rest, ms. Troubles of link, box and cloud become its status; only a state
   * that cannot be saved is thrown.
   */
  async step(signal: AbortSignal): Promise<number> {
    const { parts, book } = await this.#open();
    try {
      this.#edgeAway = false;
      await this.round(signal);
      this.#failures = 0;
      if (this.#obstacle === null) this.#said = '';
      return this.#limits.edgePollMs;
    } catch (error) {
      if (signal.aborted) return 0;
      if (error instanceof EpochChanged) {
        this.#met = false;
        this.#failures++;
        // A service whose parts disagree about who they are must not be asked in a circle.
        return this.#failures === 1
          ? 0
          : backoff(this.#failures, this.#limits.retryMs, this.#limits.retryMaxMs, parts.random);
      }
      if (error instanceof BudgetUsed) {
        this.#meetObstacle(BUDGET);
        await this.#tellWhy(signal);
        return Math.min(this.#limits.refusedMs, parts.budget.dayLeftMs());
      }
      if (!(error instanceof Trouble)) throw error;
      this.#met = false;
      this.#failures++;
      this.#edgeAway = error.side === 'edge';
      const { obstacle } = error;
      this.#meetObstacle(obstacle, error);
      if (error.mayTellWhy) await this.#tellWhy(signal);
      const usual =
        obstacle.wait === 'refused'
          ? this.#limits.refusedMs
          : backoff(this.#failures, this.#limits.retryMs, this.#limits.retryMaxMs, parts.random);
      return obstacle.waitMs ?? usual;
    } finally {
      this.#working = false;
      await book.saveSoon();
      await this.#report(signal);
    }
  }

  /**
   * One round: greets, brings the cloud's news home, then documents to shore, then photographs, until nothing is due.
   *
   * @throws Trouble, BudgetUsed, EpochChanged
   */
  async round(signal: AbortSignal): Promise<void> {
    const { parts, documents, photographs, book, courier } = await this.#open();
    const { edge } = parts;
    const orders = await at('edge', edge.orders(signal));
    if (orders.paused) {
      this.#meetObstacle(PAUSED);
      return this.#tellWhy(signal);
    }
    const frees = orders.freeing === true;
    const first = !this.#met;
    if (first) await this.#greet(signal);
    const wish = orders.verifyRequestedAt;
    const verifies = wish !== null && wish !== book.verified?.wish;
    const news = first || this.#cloudIsDue();
    const due = (await documents.waiting(signal)) || photographs.isDue() || this.#itemsAreDue();
    this.#obstacle = null;
    if (!news && !due && !verifies && !frees) return;
    this.#working = due || verifies;
    if (news) await this.#pull(signal);
    await documents.push(signal);
    if (verifies) {
      photographs.forget();
      await verifyAshore(parts, courier, wish, signal);
    }
    this.#complete = true;
    await this.#photographs(signal);
    await this.#references(signal);
    if (frees) await freeAboard(parts, courier, signal);
    await this.#tellFleet(signal);
  }

  /** What it does at the moment. */
  async status(): Promise<BridgeStatus> {
    const { parts, photographs } = await this.#open();
    return statusOf(parts, photographs, {
      obstacle: this.#obstacle,
      working: this.#working,
      facts: this.#facts,
      complete: this.#complete,
    });
  }

  async #open(): Promise<Work> {
    if (this.#work !== undefined) return this.#work;
    const made = await openWork(this.#options, this.#limits, {
      log: this.#log,
      node: () => this.#box?.node ?? '',
      onProgress: () => this.#progressed(),
    });
    this.#work ??= made;
    return this.#work;
  }

  /** Who box and cloud are now; a store that changed is owed everything again. */
  async #greet(signal: AbortSignal): Promise<void> {
    const { parts, book, home, photographs, previews } = await this.#open();
    const { edge, cloud, clock, budget } = parts;
    this.#box = await at('edge', edge.identity(signal));
    this.#facts = await at('edge', edge.facts(signal));
    const from = clock.elapsed();
    // Both at once, for over a satellite each takes the better part of a second; without a budget the cloud's time comes first: it may be another day.
    const [ashore, keys] = await Promise.all([
      at('cloud', cloud.identity(signal)),
      budget.left() > 0 ? home.askKeys(signal) : undefined,
    ]);
    budget.spend(REQUEST_BYTES);
    const time = Date.parse(ashore.time);
    if (Number.isFinite(time)) {
      budget.heard(time);
      // The answer was written about half of its way ago.
      this.#driftMs = Math.round(
        time + (clock.elapsed() - from) / 2 - Date.parse(this.#box.time) - (clock.elapsed() - from),
      );
    }
    const changes = [book.meet('edge', this.#box.storeEpoch), book.meet('cloud', ashore.storeEpoch)];
    if (changes.some((change) => change !== 'same')) {
      home.forget();
      photographs.forget();
      previews?.forget();
      this.#complete = false;
      this.#referencesAt = -Infinity;
      if (changes.includes('changed'))
        this.#log('warn', 'the store of the box or of the cloud is another than before; everything is offered again', {
          edge: changes[0],
          cloud: changes[1],
        });
      await book.save();
    }
    await home.bringKeys(keys ?? (await home.askKeys(signal)), signal);
    this.#met = true;
  }

  async #pull(signal: AbortSignal): Promise<void> {
    await (await this.#open()).home.pull(signal);
    this.#cloudAt = this.#options.clock.elapsed();
  }

  async #references(signal: AbortSignal): Promise<void> {
    if (this.#options.clock.elapsed() - this.#referencesAt < this.#limits.referenceMs) return;
    const { home, courier } = await this.#open();
    const news = await home.references(signal);
    await home.boxKeys(signal);
    this.#referencesAt = this.#options.clock.elapsed();
    const priorities = news.get('survey-priorities');
    if (!isObject(priorities)) return;
    for (const [surveyId, priority] of Object.entries(priorities))
      if (typeof priority === 'number') courier.priorities.set(surveyId, priority);
  }

  /** Photographs, with records going ahead of them and the console heard every few seconds. */
  async #photographs(signal: AbortSignal): Promise<void> {
    const { parts, photographs, previews } = await this.#open();
    await photographs.ask(signal);
    if (!photographs.isDue()) return;
    this.#working = true;
    await previews?.send(photographs.waiting(), signal);
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const done = new AbortController();
    const sending = photographs.send(both).finally(() => done.abort());
    const over = AbortSignal.any([both, done.signal]);
    const ticking = (async () => {
      try {
        for (;;) {
          await parts.timers.sleep(this.#limits.tickMs, over);
          if (over.aborted) return;
          await this.#tick(both);
          if (this.#obstacle !== null) return stop.abort();
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
    const { parts, documents, photographs, previews, book, courier } = await this.#open();
    const orders = await at('edge', parts.edge.orders(signal));
    if (orders.paused) return this.#meetObstacle(PAUSED);
    if (this.#cloudIsDue()) await this.#pull(signal);
    await documents.push(signal);
    await photographs.ask(signal);
    await previews?.send(photographs.waiting(), signal);
    await photographs.settle(signal);
    // A dozen small requests: beside the photographs they cost their bytes alone, before them a dozen round trips.
    await this.#references(signal);
    if (orders.freeing === true) await freeAboard(parts, courier, signal);
    // A round lasts as long as its photographs, over a slow link for days.
    await this.#tellFleet(signal);
    await book.saveSoon();
    await this.#report(signal);
  }

  #cloudIsDue(): boolean {
    return this.#options.clock.elapsed() - this.#cloudAt >= this.#limits.cloudPollMs;
  }

  #itemsAreDue(): boolean {
    const book = this.#work?.book;
    if (book === undefined) return false;
    return (
      [...book.open.values()].some(({ opId, blob }) => blob === null && book.isDue(opId)) ||
      [...book.strayed.keys()].some((seq) => book.isDue(seq))
    );
  }

  #meetObstacle(obstacle: Obstacle, trouble?: Trouble): void {
    if (this.#said !== obstacle.words)
      this.#log(
        obstacle.state === 'refused' ? 'error' : 'warn',
        obstacle.words,
        trouble === undefined ? {} : { side: trouble.side, code: trouble.error.code },
      );
    this.#said = obstacle.words;
    this.#obstacle = obstacle;
    this.#show();
  }

  #show(): void {
    const { onStatus } = this.#options;
    const work = this.#work;
    if (onStatus === undefined || work === undefined) return;
    onStatus(
      statusOf(work.parts, work.photographs, {
        obstacle: this.#obstacle,
        working: this.#working,
        facts: this.#facts,
        complete: this.#complete,
      }),
    );
  }

  /** Bytes moved: shown a few times a second, for they come thousands of times. */
  #progressed(): void {
    const now = this.#options.clock.elapsed();
    if (now - this.#shownAt < SHOW_MS) return;
    this.#shownAt = now;
    this.#show();
  }

  /** The work never waits for the box to hear of it. */
  async #report(signal: AbortSignal): Promise<void> {
    const { parts, telling } = await this.#open();
    this.#show();
    const report = reportOf(parts, await this.status(), this.#driftMs);
    await telling.box(report, { isAway: this.#edgeAway }, signal);
  }

  /** @throws Trouble, BudgetUsed */
  async #tellFleet(signal: AbortSignal): Promise<void> {
    const { parts, photographs, telling } = await this.#open();
    const paused = this.#obstacle?.words ?? null;
    if (this.#box === null || !telling.fleetIsDue(paused)) return;
    this.#facts = this.#edgeAway && this.#facts !== null ? this.#facts : await at('edge', parts.edge.facts(signal));
    const { owed } = await this.status();
    await telling.fleet(
      fleetReportOf(parts, photographs, { box: this.#box, facts: this.#facts, owed, driftMs: this.#driftMs, paused }),
      signal,
    );
  }

  /** Why nothing moves, told to the fleet where the cloud can be reached: staff ashore would look for the fault elsewhere. */
  async #tellWhy(signal: AbortSignal): Promise<void> {
    const { parts } = await this.#open();
    try {
      // One that was paused before its first round has met nobody yet.
      if (!this.#edgeAway) this.#box ??= await at('edge', parts.edge.identity(signal));
      await this.#tellFleet(signal);
    } catch (error) {
      // It is said again after a while; what stands in the way is the obstacle that was met first.
      if (!(error instanceof Trouble)) throw error;
    }
  }
}
