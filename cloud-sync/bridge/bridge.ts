import { isObject } from '../../src/domain/json';
import type { CloudApi, EdgeApi, EdgeFacts, NodeFacts, PreviewApi } from './apis';
import { Book } from './book';
import { DayBudget, RateCap } from './budget';
import { Courier } from './courier';
import { Documents } from './documents';
import { LinkRate } from './forecast';
import { Home } from './home';
import type { BridgeLimits } from './limits';
import { BRIDGE_LIMITS, REQUEST_BYTES } from './limits';
import type { BridgeLog, Parts } from './parts';
import { BudgetUsed, EpochChanged, admit, jsonBytes } from './parts';
import { Photographs } from './photographs';
import { Previews } from './previews';
import type { BridgeClock, BridgeTimers } from './runtime';
import type { BridgeStateStore } from './state';
import { newBridgeState } from './state';
import type { BridgeStatus } from './status';
import { reportOf, statusOf } from './status';
import type { Obstacle } from './trouble';
import { Trouble, at, backoff, isOfOneItem } from './trouble';
import { verifyAshore } from './verify';

/** What a bridge is made of; the simulator and the tests put in their own. */
export interface BridgeOptions {
  readonly edge: EdgeApi;
  readonly cloud: CloudApi;
  /** Left out: no small pictures go ahead of photographs. */
  readonly previews?: PreviewApi;
  readonly state: BridgeStateStore;
  readonly clock: BridgeClock;
  readonly timers: BridgeTimers;
  /** A fraction, 0 ≤ f < 1. */
  readonly random: () => number;
  readonly limits?: Partial<BridgeLimits>;
  readonly log?: BridgeLog;
  /** Told whenever something of it changed. */
  readonly onStatus?: (status: BridgeStatus) => void;
}

/** How often the box hears how things stand while they move, ms. */
const REPORT_MS = 5000;

/** How often progress is shown, ms. */
const SHOW_MS = 250;

const PAUSED: Obstacle = { state: 'paused', words: 'The bridge was paused at the box. What is aboard stays aboard until somebody lets it go on.', wait: 'retry' };
const BUDGET: Obstacle = { state: 'paused', words: 'The megabytes of this day are used up. It goes on by itself with the next day.', wait: 'refused' };

/**
 * The bridge (protocol, "Chain of an edit"): brings what is on a box to the cloud, documents first, then small
 * pictures where the link is slow, then photographs, and the cloud's receipts and news back. It holds nothing of its own but two cursors and what stands open behind them; it may die
 * at any moment and be run twice.
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
  #reportAt = -Infinity;
  #fleetAt = -Infinity;
  #shownAt = -Infinity;
  #reported = '';
  #fleetState = '';

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
        return this.#failures === 1 ? 0 : backoff(this.#failures, this.#limits.retryMs, this.#limits.retryMaxMs, parts.random);
      }
      if (error instanceof BudgetUsed) {
        this.#meetObstacle(BUDGET);
        return Math.min(this.#limits.refusedMs, parts.budget.dayLeftMs());
      }
      if (!(error instanceof Trouble)) throw error;
      this.#met = false;
      this.#failures++;
      this.#edgeAway = error.side === 'edge';
      const { obstacle } = error;
      this.#meetObstacle(obstacle, error);
      const usual = obstacle.wait === 'refused' ? this.#limits.refusedMs : backoff(this.#failures, this.#limits.retryMs, this.#limits.retryMaxMs, parts.random);
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
    if (orders.paused) return this.#meetObstacle(PAUSED);
    const first = !this.#met;
    if (first) await this.#greet(signal);
    const wish = orders.verifyRequestedAt;
    const verifies = wish !== null && wish !== book.verified?.wish;
    const news = first || this.#cloudIsDue();
    const due = (await documents.waiting(signal)) || photographs.isDue() || this.#itemsAreDue();
    this.#obstacle = null;
    if (!news && !due && !verifies) return;
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
    await this.#tellFleet(signal);
  }

  /** What it does at the moment. */
  async status(): Promise<BridgeStatus> {
    const { parts, photographs } = await this.#open();
    return statusOf(parts, photographs, { obstacle: this.#obstacle, working: this.#working, facts: this.#facts, complete: this.#complete });
  }

  async #open(): Promise<Work> {
    if (this.#work !== undefined) return this.#work;
    const { edge, cloud, previews, clock, timers, random, state } = this.#options;
    const kept = (await state.load()) ?? newBridgeState();
    const budget = new DayBudget(clock, this.#limits.dailyBytes, kept.day);
    const book = new Book(state, clock, kept, budget);
    const node = (): string => this.#box?.node ?? '';
    const parts: Parts = { edge, cloud, clock, timers, random, limits: this.#limits, book, budget, cap: new RateCap(clock, timers, this.#limits.bytesPerSecond), rate: new LinkRate(), log: this.#log, node };
    const courier = new Courier(parts);
    const documents = new Documents(parts, courier);
    const photographs = new Photographs(parts, courier, documents);
    photographs.onProgress = () => this.#progressed();
    this.#work ??= { parts, book, courier, documents, photographs, home: new Home(parts), previews: previews === undefined ? null : new Previews(parts, previews) };
    return this.#work;
  }

  /** Who box and cloud are now; a store that changed is owed everything again. */
  async #greet(signal: AbortSignal): Promise<void> {
    const { parts, book, home, photographs, previews } = await this.#open();
    const { edge, cloud, clock, budget } = parts;
    this.#box = await at('edge', edge.identity(signal));
    this.#facts = await at('edge', edge.facts(signal));
    const from = clock.elapsed();
    const ashore = await at('cloud', cloud.identity(signal));
    budget.spend(REQUEST_BYTES);
    const time = Date.parse(ashore.time);
    if (Number.isFinite(time)) {
      budget.heard(time);
      // The answer was written about half of its way ago.
      this.#driftMs = Math.round(time + (clock.elapsed() - from) / 2 - Date.parse(this.#box.time) - (clock.elapsed() - from));
    }
    const changes = [book.meet('edge', this.#box.storeEpoch), book.meet('cloud', ashore.storeEpoch)];
    if (changes.some((change) => change !== 'same')) {
      home.forget();
      photographs.forget();
      previews?.forget();
      this.#complete = false;
      this.#referencesAt = -Infinity;
      if (changes.includes('changed')) this.#log('warn', 'the store of the box or of the cloud is another than before; everything is offered again', { edge: changes[0], cloud: changes[1] });
      await book.save();
    }
    await home.keys(signal);
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
    for (const [surveyId, priority] of Object.entries(priorities)) if (typeof priority === 'number') courier.priorities.set(surveyId, priority);
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
    const { parts, documents, photographs, previews, book } = await this.#open();
    const orders = await at('edge', parts.edge.orders(signal));
    if (orders.paused) return this.#meetObstacle(PAUSED);
    if (this.#cloudIsDue()) await this.#pull(signal);
    await documents.push(signal);
    await photographs.ask(signal);
    await previews?.send(photographs.waiting(), signal);
    await photographs.settle(signal);
    // A dozen small requests: beside the photographs they cost their bytes alone, before them a dozen round trips.
    await this.#references(signal);
    await book.saveSoon();
    await this.#report(signal);
  }

  #cloudIsDue(): boolean {
    return this.#options.clock.elapsed() - this.#cloudAt >= this.#limits.cloudPollMs;
  }

  #itemsAreDue(): boolean {
    const book = this.#work?.book;
    if (book === undefined) return false;
    return [...book.open.values()].some(({ opId, blob }) => blob === null && book.isDue(opId)) || [...book.strayed.keys()].some((seq) => book.isDue(seq));
  }

  #meetObstacle(obstacle: Obstacle, trouble?: Trouble): void {
    if (this.#said !== obstacle.words) this.#log(obstacle.state === 'refused' ? 'error' : 'warn', obstacle.words, trouble === undefined ? {} : { side: trouble.side, code: trouble.error.code });
    this.#said = obstacle.words;
    this.#obstacle = obstacle;
    this.#show();
  }

  #show(): void {
    const { onStatus } = this.#options;
    const work = this.#work;
    if (onStatus === undefined || work === undefined) return;
    onStatus(statusOf(work.parts, work.photographs, { obstacle: this.#obstacle, working: this.#working, facts: this.#facts, complete: this.#complete }));
  }

  /** Bytes moved: shown a few times a second, for they come thousands of times. */
  #progressed(): void {
    const now = this.#options.clock.elapsed();
    if (now - this.#shownAt < SHOW_MS) return;
    this.#shownAt = now;
    this.#show();
  }

  /** Tells the box how things stand, where that changed or some time has passed. The work never waits for it to be heard. */
  async #report(signal: AbortSignal): Promise<void> {
    const { parts } = await this.#open();
    this.#show();
    const status = await this.status();
    const report = reportOf(parts, status, this.#driftMs);
    const now = parts.clock.elapsed();
    const text = `${report.state} ${report.words} ${report.verified?.at}`;
    if (text === this.#reported && now - this.#reportAt < REPORT_MS) return;
    this.#reportAt = now;
    if (signal.aborted || this.#edgeAway) return;
    try {
      await parts.edge.report(report, signal);
      this.#reported = text;
    } catch (error) {
      this.#log('warn', 'the box did not take the report of its bridge', { reason: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Tells the fleet, rarely: each time costs a little of the link. */
  async #tellFleet(signal: AbortSignal): Promise<void> {
    const { parts, photographs, book } = await this.#open();
    const now = parts.clock.elapsed();
    const state = `${book.edgeEpoch} ${book.open.size === 0 ? 'all ashore' : 'owed'}`;
    if (this.#box === null || (state === this.#fleetState && now - this.#fleetAt < this.#limits.fleetMs)) return;
    this.#facts = await at('edge', parts.edge.facts(signal));
    const { owed } = await this.status();
    const oldest = [...book.open.values()].map(({ madeAt }) => madeAt).sort()[0] ?? null;
    const report = {
      node: this.#box.node,
      name: this.#facts.name,
      storeEpoch: this.#box.storeEpoch,
      version: this.#facts.version,
      owed: { ops: book.open.size, images: photographs.owedBytes().images, bytes: owed.bytes },
      oldestUnsentAt: oldest,
      disk: this.#facts.disk,
      clockDriftMs: this.#driftMs === null ? null : -this.#driftMs,
      paused: this.#obstacle?.words ?? null,
    };
    await admit(parts, jsonBytes(report), signal);
    this.#fleetAt = now;
    this.#fleetState = state;
    try {
      await at('cloud', parts.cloud.report(report, signal));
    } catch (error) {
      // An older cloud keeps no fleet; photographs do not wait for that.
      if (!(error instanceof Trouble) || !isOfOneItem(error)) throw error;
      this.#log('warn', 'the cloud did not take the report of the box', { code: error.error.code });
    }
  }
}

/** The parts that do the work, once the state was read. */
interface Work {
  readonly parts: Parts;
  readonly book: Book;
  readonly courier: Courier;
  readonly documents: Documents;
  readonly photographs: Photographs;
  readonly previews: Previews | null;
  readonly home: Home;
}
