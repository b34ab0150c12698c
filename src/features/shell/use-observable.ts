import { useSyncExternalStore } from 'react';
import type { Observable } from '../../data/repositories';

/** The value of an observable, shown anew whenever it changes. */
export function useObservable<Value>(observable: Observable<Value>): Value {
  return useSyncExternalStore(observable.subscribe, observable.get);
}
