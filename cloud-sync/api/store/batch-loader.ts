/** Most keys of one question. */
const BATCH_MAX = 512;

interface PendingKey<Value> {
  readonly promise: Promise<Value | undefined>;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Puts single questions that come in one turn of the event loop into one: a batch of operations asks the database the same few
 * things of each, and a round trip for each would cost more than the answers.
 */
export class BatchLoader<Value> {
  readonly #loadBatch: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  #pending = new Map<string, PendingKey<Value>>();

  /** @param ask gives what there is of some keys, by key */
  constructor(ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {
    this.#loadBatch = ask;
  }

  /** The answer for a key, asked after this call; whoever asks for one key in one turn shares one value. */
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
