import type { Logger } from 'pino';
import type { EdgeUpdate, QueryName } from '../../src/protocol/edge-socket';
import type { AppendStore } from '../../src/server/ops/append-store';
import type { ImageBlobs } from '../store/image-blobs';
import type { GpsSource } from '../vessel/gps-source';
import type { QueryReader, Queries } from './queries';
import type { Senders } from './senders';

export interface Subscriber {
  /** Returns the current reader; null if no longer verified. */
  reader(): QueryReader | null;
  update(update: EdgeUpdate): void;
}

/** Delay that groups commits into one notification. */
const COALESCE_MS = 250;

/** Queries of one subscriber, each with the cursor of its change feed. */
type FollowedQueries = Map<QueryName, { since: number }>;

/**
 * Updates for subscribers (protocol, Edge socket 8). They are hints: a client that misses one pulls again. For
 * `changes` each is the page after the last one that this connection got, pushed or pulled.
 */
export class Subscriptions {
  readonly #queries: Queries;
  readonly #log: Logger;
  readonly #subscribers = new Map<Subscriber, FollowedQueries>();
  readonly #due = new Set<QueryName>();
  readonly #stop: (() => void)[];
  #timer: NodeJS.Timeout | undefined;
  #isNotifying = false;
  /** True if the list of lost bytes changed since followers of `changes` were notified. */
  #hasLostNews = false;

  constructor(
    queries: Queries,
    store: AppendStore & { readonly blobs: Pick<ImageBlobs, 'onLostChange'> },
    gps: GpsSource,
    senders: Senders,
    log: Logger,
  ) {
    this.#queries = queries;
    this.#log = log;
    this.#stop = [
      store.onCommit(() => this.#markDue(['meta', 'surveys', 'locations', 'changes'])),
      store.blobs.onLostChange(() => {
        this.#hasLostNews = true;
        this.#markDue(['meta', 'surveys', 'changes']);
      }),
      gps.onFix(() => this.#markDue(['gps'])),
      senders.onChange(() => this.#markDue(['senders'])),
    ];
  }

  subscribe(subscriber: Subscriber, name: QueryName, since: number): void {
    const follows: FollowedQueries = this.#subscribers.get(subscriber) ?? new Map();
    follows.set(name, { since });
    this.#subscribers.set(subscriber, follows);
  }

  /** Moves the cursor past what the subscriber pulled itself. */
  markPulled(subscriber: Subscriber, next: number): void {
    const follow = this.#subscribers.get(subscriber)?.get('changes');
    if (follow !== undefined) follow.since = Math.max(follow.since, next);
  }

  unsubscribe(subscriber: Subscriber, name: QueryName): void {
    const follows = this.#subscribers.get(subscriber);
    follows?.delete(name);
    if (follows?.size === 0) this.#subscribers.delete(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  close(): void {
    for (const stop of this.#stop) stop();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#subscribers.clear();
  }

  #markDue(names: readonly QueryName[]): void {
    if (this.#subscribers.size === 0) return;
    for (const name of names) this.#due.add(name);
    if (this.#timer !== undefined || this.#isNotifying) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#notify();
    }, COALESCE_MS);
  }

  async #notify(): Promise<void> {
    const due = [...this.#due];
    this.#due.clear();
    this.#isNotifying = true;
    try {
      for (const name of due) await this.#notifyQuery(name);
    } catch (error) {
      // The next commit notifies again.
      this.#log.warn({ err: error }, 'an update could not be sent');
    } finally {
      this.#isNotifying = false;
    }
    if (this.#due.size > 0) this.#markDue([]);
  }

  async #notifyQuery(name: QueryName): Promise<void> {
    const followers = [...this.#subscribers].filter(([, follows]) => follows.has(name));
    if (followers.length === 0) return;
    if (name === 'senders') {
      for (const [subscriber] of followers) {
        const reader = subscriber.reader();
        if (reader !== null) subscriber.update({ name, data: await this.#queries.run(name, undefined, reader) });
      }
      return;
    }
    if (name !== 'changes') {
      const data = await this.#queries.run(name, undefined, 'admin');
      for (const [subscriber] of followers) if (subscriber.reader() !== null) subscriber.update({ name, data });
      return;
    }
    const isDue = this.#hasLostNews;
    this.#hasLostNews = false;
    for (const [subscriber, follows] of followers) {
      const asker = subscriber.reader();
      const follow = follows.get('changes');
      if (asker === null || follow === undefined) continue;
      const data = await this.#queries.changes({ since: follow.since }, asker);
      if (data.entries.length === 0 && !isDue) continue;
      follow.since = Math.max(follow.since, data.next);
      subscriber.update({ name, data });
    }
  }
}
