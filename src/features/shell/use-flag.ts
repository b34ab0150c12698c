import { useSyncExternalStore } from 'react';
import { isFlagOn } from '../../domain/feature-flags';
import { persistedStore } from './persisted-state';

/** Separate from the store, which is in the first load. */
const useFlags = () => useSyncExternalStore(persistedStore.subscribe, persistedStore.get).featureFlags;

/** True while the feature flag is on in this tablet. */
export function useFlag(name: string): boolean {
  return isFlagOn(useFlags(), name);
}

/** Names of the flags that an address ever set here, on or off, in alphabetical order. */
export function useFlagNames(): readonly string[] {
  return Object.keys(useFlags()).sort();
}
