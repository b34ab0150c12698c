import { describe, expect, it, vi } from 'vitest';
import { Backoff, backoffDelay } from './backoff';
import { BatchLoader } from './batch-loader';
import { Emitter } from './emitter';
import { formatBytes } from './format-bytes';
import { GroupCommit } from './group-commit';
import { KeyedMutex } from './keyed-mutex';
import { computedValue, liveValue } from './live-value';
import { ObservableValue, isJsonEqual } from './observable';
import { formatCount, pluralize } from './plural';
import { RefCount } from './ref-count';
import { Semaphore } from './semaphore';

const deferred = <Value = void>() => {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<Value>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  return { promise, resolve, reject };
};

/** Transaction that waits for `start` and fails with `bad`. */
function failOnBad(start: Promise<void>): (attempts: readonly string[]) => Promise<readonly string[]> {
  return async (attempts) => {
    await start;
    if (attempts.includes('bad')) throw new Error('bad');
    return attempts;
  };
}

describe('Emitter', () => {
  it('calls listeners in order and forgets those that unsubscribe', () => {
    const emitter = new Emitter<number>();
    const calls: string[] = [];
    const stop = emitter.subscribe((n) => calls.push(`a${n}`));
    emitter.subscribe((n) => calls.push(`b${n}`));
    emitter.emit(1);
    stop();
    emitter.emit(2);
    expect(calls).toEqual(['a1', 'b1', 'b2']);
    expect(emitter.size).toBe(1);
  });

  it('lets a listener unsubscribe while it is called', () => {
    const emitter = new Emitter();
    const second = vi.fn();
    const stop = emitter.subscribe(() => stop());
    emitter.subscribe(second);
    emitter.emit();
    expect(second).toHaveBeenCalledOnce();
    expect(emitter.size).toBe(1);
  });
});

describe('Emitter with an error handler', () => {
  it('calls every listener although one fails', () => {
    const emitter = new Emitter<number>();
    const [second, onError] = [vi.fn(), vi.fn()];
    emitter.subscribe(() => {
      throw new Error('no');
    });
    emitter.subscribe(second);
    emitter.emit(1, onError);
    expect(second).toHaveBeenCalledExactlyOnceWith(1);
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('no'));
    expect(() => emitter.emit(1)).toThrow('no');
  });
});

describe('ObservableValue', () => {
  it('notifies only of a changed value', () => {
    const value = new ObservableValue({ n: 1 }, isJsonEqual);
    const listener = vi.fn();
    value.subscribe(listener);
    value.set({ n: 1 });
    value.set({ n: 2 });
    expect(listener.mock.calls).toEqual([[{ n: 2 }]]);
    expect(value.get()).toEqual({ n: 2 });
  });
});

describe('RefCount', () => {
  it('runs from the first user to the last, and again for the next', () => {
    const [start, stop] = [vi.fn(), vi.fn()];
    const { retain } = new RefCount(() => (start(), stop));
    const [first, second] = [retain(), retain()];
    first();
    first();
    expect([start, stop].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
    second();
    expect(stop).toHaveBeenCalledOnce();
    retain();
    expect(start).toHaveBeenCalledTimes(2);
  });
});

describe('live values', () => {
  it('follow their sources from the first subscriber to the last', () => {
    const source = new Emitter<number>();
    const value = new ObservableValue(0);
    const live = liveValue(value, () => [source.subscribe((n) => value.set(n))]);
    const [listener, other] = [vi.fn(), vi.fn()];
    source.emit(1);
    const stops = [live.subscribe(listener), live.subscribe(listener), live.subscribe(other)];
    source.emit(2);
    expect([source.size, listener.mock.calls.length, other.mock.calls.length]).toEqual([1, 2, 1]);
    for (const stop of stops) stop();
    expect([source.size, live.get()]).toEqual([0, 2]);
  });

  it('are computed for each read and each change of a source', () => {
    const source = new Emitter();
    let n = 1;
    const live = computedValue(
      () => ({ n }),
      (refresh) => [source.subscribe(refresh)],
    );
    n = 2;
    expect(live.get()).toEqual({ n: 2 });
    expect(live.get()).toBe(live.get());
    const listener = vi.fn();
    live.subscribe(listener);
    source.emit();
    n = 3;
    source.emit();
    expect(listener.mock.calls).toEqual([[{ n: 3 }]]);
  });
});

describe('KeyedMutex', () => {
  it('serialises work of one key and lets other keys run', async () => {
    const mutex = new KeyedMutex();
    const gate = deferred();
    const order: string[] = [];
    const first = mutex.run('a', async () => {
      await gate.promise;
      order.push('a1');
    });
    const second = mutex.run('a', async () => void order.push('a2'));
    await mutex.run('b', async () => void order.push('b'));
    gate.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['b', 'a1', 'a2']);
  });

  it('makes work on several keys wait for all of them', async () => {
    const mutex = new KeyedMutex();
    const gates = [deferred(), deferred()] as const;
    const run = vi.fn(async () => undefined);
    const a = mutex.run('a', () => gates[0].promise);
    const b = mutex.run('b', () => gates[1].promise);
    const both = mutex.run(['a', 'b'], run);
    gates[0].resolve();
    await a;
    expect(run).not.toHaveBeenCalled();
    gates[1].resolve();
    await Promise.all([b, both]);
    expect(run).toHaveBeenCalledOnce();
  });

  it('passes a failure to its own caller alone, and becomes idle', async () => {
    const mutex = new KeyedMutex();
    const failing = mutex.run('a', () => Promise.reject(new Error('no')));
    const next = mutex.run('a', async () => 'ran');
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('ran');
    await mutex.idle();
  });
});

describe('Semaphore', () => {
  it('serves waiters in order and ignores a second release', async () => {
    const semaphore = new Semaphore(1);
    const release = await semaphore.acquire();
    const order: number[] = [];
    const second = semaphore.acquire().then((done) => (order.push(2), done));
    const third = semaphore.acquire().then((done) => (order.push(3), done));
    expect(semaphore.available).toBe(-2);
    release();
    release();
    const releaseSecond = await second;
    expect(order).toEqual([2]);
    releaseSecond();
    await third;
    expect(order).toEqual([2, 3]);
  });
});

describe('backoff', () => {
  it('doubles from the first delay up to the maximum and starts over after a reset', () => {
    const backoff = new Backoff({ firstMs: 100, maxMs: 350 });
    expect([backoff.next(), backoff.next(), backoff.next(), backoff.next()]).toEqual([100, 200, 350, 350]);
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });

  it('spreads the delay by a quarter', () => {
    const range = { firstMs: 100, maxMs: 1000 };
    expect([backoffDelay(2, range, () => 0), backoffDelay(2, range, () => 1)]).toEqual([150, 250]);
    expect(backoffDelay(0, range)).toBe(100);
  });
});

describe('GroupCommit', () => {
  it('commits attempts that arrive during a transaction together', async () => {
    const groups: (readonly number[])[] = [];
    const gate = deferred();
    const commit = async (attempts: readonly number[]) => {
      groups.push(attempts);
      if (groups.length === 1) await gate.promise;
      return attempts.map((n) => n * 10);
    };
    const commits = new GroupCommit({ commit, max: 2 });
    const all = [1, 2, 3, 4].map((n) => commits.add(n));
    gate.resolve();
    expect(await Promise.all(all)).toEqual([10, 20, 30, 40]);
    expect(groups).toEqual([[1], [2, 3], [4]]);
  });

  it('retries a failed group one by one', async () => {
    const gate = deferred();
    const commits = new GroupCommit({ commit: failOnBad(gate.promise), max: 8 });
    const all = ['first', 'good', 'bad'].map((one) => commits.add(one));
    gate.resolve();
    const settled = await Promise.allSettled(all);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });

  it.each([
    ['reject-group', ['fulfilled', 'rejected', 'rejected', 'fulfilled']],
    ['reject-pending', ['fulfilled', 'rejected', 'rejected', 'rejected']],
  ] as const)('treats the other attempts by its failure option: %s', async (fate, expected) => {
    const gate = deferred();
    const commits = new GroupCommit({ commit: failOnBad(gate.promise), max: 2, onFailure: () => fate });
    const all = ['first', 'good', 'bad', 'behind'].map((one) => commits.add(one));
    gate.resolve();
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(expected);
    await expect(commits.add('later')).resolves.toBe('later');
  });

  it('groups attempts of one turn up to its limit, and becomes idle', async () => {
    const groups: (readonly number[])[] = [];
    const commits = new GroupCommit<number, number>({
      commit: async (attempts) => {
        groups.push(attempts);
        return attempts;
      },
      max: (pending) => pending.findIndex((n) => n > 2),
      gather: () => Promise.resolve(),
    });
    const all = [1, 2, 3, 4].map((n) => commits.add(n));
    await commits.idle();
    expect(groups).toEqual([[1, 2], [3], [4]]);
    await Promise.all(all);
  });

  it('fails every attempt of a commit that returns too few results', async () => {
    const commits = new GroupCommit<number, number>({ commit: async () => [] });
    await expect(commits.add(1)).rejects.toThrow('1 attempts, 0 results.');
  });
});

describe('BatchLoader', () => {
  it('reads the keys of one turn together, each once, in calls of at most `max`', async () => {
    const calls: (readonly string[])[] = [];
    const loader = new BatchLoader<string>({
      load: async (keys) => {
        calls.push(keys);
        return new Map(keys.filter((key) => key !== 'none').map((key) => [key, key.toUpperCase()]));
      },
      max: 2,
      schedule: (flush) => queueMicrotask(flush),
    });
    const values = await Promise.all(['a', 'a', 'b', 'none'].map((key) => loader.load(key)));
    expect(values).toEqual(['A', 'A', 'B', undefined]);
    expect(calls).toEqual([['a', 'b'], ['none']]);
  });

  it('rejects every lookup of a failed call', async () => {
    const load = () => Promise.reject(new Error('away'));
    const loader = new BatchLoader<string>({ load, max: 8, schedule: (flush) => queueMicrotask(flush) });
    const [a, b] = await Promise.allSettled([loader.load('a'), loader.load('b')]);
    expect([a?.status, b?.status]).toEqual(['rejected', 'rejected']);
  });
});

describe('texts', () => {
  it('formats bytes in powers of ten', () => {
    const sizes = [0, 999, 1_000, 640_400, 999_400, 3_140_000, 45_600_000, 1_100_000_000, 12_345_000_000_000];
    const texts = ['0 B', '999 B', '1 KB', '640 KB', '999 KB', '3.1 MB', '46 MB', '1.1 GB', '12,345 GB'];
    expect(sizes.map(formatBytes)).toEqual(texts);
  });

  it('formats a count with its noun', () => {
    expect([formatCount(1, 'photograph'), formatCount(1124, 'photograph'), pluralize(2, 'entry', 'entries')]).toEqual([
      '1 photograph',
      '1,124 photographs',
      'entries',
    ]);
  });
});
