interface Pending<Value> {
  readonly promise: Promise<Value | undefined>;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface BatchLoaderOptions<Key, Value> {
  /** Returns the values that exist, by key. */
  readonly load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;
  /** Keys in one call of `load`. */
  readonly max: number;
  /** Runs the flush once the lookups of one event-loop turn are in, e.g. `setImmediate`. */
  readonly schedule: (flush: () => void) => void;
}

/** Batches lookups of one event-loop turn into one query; a round trip per key would cost more than the answer. */
export class BatchLoader<Value, Key = string> {
  readonly #options: BatchLoaderOptions<Key, Value>;
  #pending = new Map<Key, Pending<Value>>();

  constructor(options: BatchLoaderOptions<Key, Value>) {
    this.#options = options;
  }

  /** Value of a key, read after this call. Lookups of one key in one turn share one answer. */
  load(key: Key): Promise<Value | undefined> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending.promise;
    if (this.#pending.size === 0) this.#options.schedule(() => this.#flush());
    let resolve: Pending<Value>['resolve'] = () => undefined;
    let reject: Pending<Value>['reject'] = () => undefined;
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
    for (let from = 0; from < all.length; from += this.#options.max) {
      const batch = all.slice(from, from + this.#options.max);
      this.#options.load(batch.map(([key]) => key)).then(
        (values) => {
          for (const [key, { resolve }] of batch) resolve(values.get(key));
        },
        (error: unknown) => {
          for (const [, { reject }] of batch) reject(error);
        },
      );
    }
  }
}
