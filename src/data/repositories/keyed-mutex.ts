/** Mutex per key, first come, first served; work on several keys waits for all. An error reaches its caller alone. */
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
