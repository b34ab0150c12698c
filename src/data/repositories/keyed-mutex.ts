/**
 * Runs pieces of work of one key one after the other; those of different keys do not wait for each other, and one of several
 * keys waits for all of them. A failure is its caller's alone: the next one runs.
 */
export function keyedMutex<Key extends string>(): <Value>(
  keys: Key | readonly Key[],
  work: () => Promise<Value>,
) => Promise<Value> {
  const last = new Map<Key, Promise<unknown>>();
  return (keys, work) => {
    const all = typeof keys === 'string' ? [keys] : keys;
    const mine = Promise.allSettled(all.map((key) => last.get(key))).then(work);
    const ended: Promise<unknown> = mine.then(forget, forget);
    function forget(): void {
      for (const key of all) if (last.get(key) === ended) last.delete(key);
    }
    for (const key of all) last.set(key, ended);
    return mine;
  };
}
