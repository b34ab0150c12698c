/**
 * Runs pieces of work of one key one after the other; those of different keys do not wait for each other. A failure is its
 * caller's alone: the next one runs.
 */
export function keyedTurns<Key>(): <Value>(key: Key, work: () => Promise<Value>) => Promise<Value> {
  const last = new Map<Key, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const ended: Promise<unknown> = mine.then(forget, forget);
    function forget(): void {
      if (last.get(key) === ended) last.delete(key);
    }
    last.set(key, ended);
    return mine;
  };
}
