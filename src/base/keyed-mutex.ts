/** Mutex per key, first come, first served. Work on several keys waits for all of them. */
export class KeyedMutex<Key extends string = string> {
  readonly #last = new Map<Key, Promise<void>>();

  /** Runs `work` when all earlier work on its keys has settled. A failure reaches its own caller alone. */
  run<Value>(keys: Key | readonly Key[], work: () => Promise<Value>): Promise<Value> {
    const all = typeof keys === 'string' ? [keys] : keys;
    const earlier = all.map((key) => this.#last.get(key)).filter((promise) => promise !== undefined);
    const result = earlier.length === 0 ? work() : Promise.all(earlier).then(work);
    const settled: Promise<void> = result.then(release, release);
    const last = this.#last;
    function release(): void {
      for (const key of all) if (last.get(key) === settled) last.delete(key);
    }
    for (const key of all) last.set(key, settled);
    return result;
  }

  /** Resolves when no key has work left. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
