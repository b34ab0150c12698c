import type { CloudApi, EdgeApi, PreviewApi } from './apis';
import { Book } from './book';
import { DayBudget, RateCap } from './budget';
import { Courier } from './courier';
import { Documents } from './documents';
import { LinkRate } from './forecast';
import { Home } from './home';
import type { BridgeLimits } from './limits';
import type { BridgeLog, Parts } from './parts';
import { Photographs } from './photographs';
import { Previews } from './previews';
import type { BridgeClock, BridgeTimers } from './runtime';
import type { BridgeStateStore } from './state';
import { newBridgeState } from './state';
import type { BridgeStatus } from './status';
import { Telling } from './telling';

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

/** The parts that do the work, once the state was read. */
export interface Work {
  readonly parts: Parts;
  readonly book: Book;
  readonly courier: Courier;
  readonly documents: Documents;
  readonly photographs: Photographs;
  readonly previews: Previews | null;
  readonly home: Home;
  readonly telling: Telling;
}

/** What the bridge itself gives to its parts. */
export interface WorkHooks {
  readonly log: BridgeLog;
  /** The box's node id, once it was met. */
  readonly node: () => string;
  readonly onProgress: () => void;
}

/** Reads the state and builds the parts over it. */
export async function openWork(
  { edge, cloud, previews, clock, timers, random, state }: BridgeOptions,
  limits: BridgeLimits,
  { log, node, onProgress }: WorkHooks,
): Promise<Work> {
  const kept = (await state.load()) ?? newBridgeState();
  const budget = new DayBudget(clock, limits.dailyBytes, kept.day);
  const book = new Book(state, clock, kept, budget);
  const parts: Parts = {
    edge,
    cloud,
    clock,
    timers,
    random,
    limits,
    book,
    budget,
    cap: new RateCap(clock, timers, limits.bytesPerSecond),
    rate: new LinkRate(),
    log,
    node,
  };
  const courier = new Courier(parts);
  const documents = new Documents(parts, courier);
  const photographs = new Photographs(parts, courier, documents);
  photographs.onProgress = onProgress;
  return {
    parts,
    book,
    courier,
    documents,
    photographs,
    home: new Home(parts),
    telling: new Telling(parts),
    previews: previews === undefined ? null : new Previews(parts, previews),
  };
}
