import { ObservableValue, isJsonEqual } from './observable';
import { RefCount } from './ref-count';

/** Value that is kept current while it has subscribers. */
type LiveValue<Value> = Pick<ObservableValue<Value>, 'get' | 'subscribe'>;

/** Begins to follow the sources of a value; returns the functions that end it. */
type Follow<Arguments extends readonly unknown[] = []> = (...from: Arguments) => readonly (() => void)[];

/** Follows the sources of a value from its first subscriber to its last. */
export function liveValue<Value>({ get, subscribe }: LiveValue<Value>, follow: Follow): LiveValue<Value> {
  const subscribers = new RefCount(() => {
    const stops = follow();
    return () => stops.forEach((stop) => stop());
  });
  return {
    get,
    subscribe: (listener) => {
      const stop = subscribe((value) => listener(value));
      const release = subscribers.retain();
      return () => {
        stop();
        release();
      };
    },
  };
}

/** Live value that is computed for each read and each `refresh` of its sources. Values are compared by JSON. */
export function computedValue<Value>(compute: () => Value, follow: Follow<[refresh: () => void]>): LiveValue<Value> {
  const value = new ObservableValue(compute(), isJsonEqual);
  const refresh = (): void => value.set(compute());
  const live = liveValue(value, () => {
    const stops = follow(refresh);
    refresh();
    return stops;
  });
  return {
    get: () => {
      refresh();
      return value.get();
    },
    subscribe: live.subscribe,
  };
}
