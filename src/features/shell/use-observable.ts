import { useSyncExternalStore } from 'react';
import type { Observable } from '../../data/repositories';

export function useObservable<Value>(observable: Observable<Value>): Value {
  return useSyncExternalStore(observable.subscribe, observable.get);
}
