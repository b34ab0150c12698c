const BATCH_MAX = 512;

interface PendingKey<Value> {
  readonly promise: Promise<Value | undefined>;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Batches lookups of one event-loop turn into one query; a round trip per key would cost more than the answer. */
export class BatchLoader<Value> {
  readonly #loadBatch: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  #pending = new Map<string, PendingKey<Value>>();

  /** @param ask returns the values that exist, by key */
  constructor(ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {
    this.#loadBatch = ask;
  }

  /** Loads a key with the next batch; equal keys in one turn share a value. */
  load(key: string): Promise<Value | undefined> {
    const asked = this.#pending.get(key);
    if (asked !== undefined) return asked.promise;
    if (this.#pending.size === 0) setImmediate(() => this.#flush());
    let resolve: PendingKey<Value>['resolve'] = () => undefined;
    let reject: PendingKey<Value>['reject'] = () => undefined;
    const promise = new Promise<Value | undefined>((settle, fail) => {
      resolve = settle;
      reject = fail;
    });
    this.#pending.set(key, { promise, resolve, reject });
    return promise;
  }

  #flush(): void {
    const all = [...this.#pending];
    this.#pending = new Map();
    for (let from = 0; from < all.length; from += BATCH_MAX) {
      const some = all.slice(from, from + BATCH_MAX);
      this.#loadBatch(some.map(([key]) => key)).then(
        (found) => {
          for (const [key, { resolve }] of some) resolve(found.get(key));
        },
        (error: unknown) => {
          for (const [, { reject }] of some) reject(error);
        },
      );
    }
  }
}
