import { ObservableValue } from '../../base/observable';
import { useSyncExternalStore } from 'react';
import { isBlank } from '../../domain/user/rules';

/** Purpose of the overlay. */
export interface OverlayRequest {
  readonly show: 'sign-in' | 'profile' | 'second-factor';
  readonly part?: 'account';
  /** Cloud sign-in requested even if a box answers. */
  readonly ashore?: boolean;
  readonly email?: string;
  /** Mail sent before opening: a sign-in code or link, or a password reset code. */
  readonly sent?: 'code' | 'link' | 'reset';
}

/** Open request with the number of its opening. */
type ShownOverlay = OverlayRequest & { readonly openingId: number };

let openings = 0;
const shown = new ObservableValue<ShownOverlay | null>(null);

function setRequest(next: OverlayRequest | null): void {
  if (next !== shown.get()) shown.set(next === null ? null : { ...next, openingId: (openings += 1) });
}

/** Global overlay, at most one. */
export const overlay = {
  get: shown.get,
  subscribe: shown.subscribe,
  /** Opens the overlay; ignored while open. */
  open: (next: OverlayRequest): void => {
    if (shown.get() === null) setRequest(next);
  },
  /** Replaces the current request. */
  replace: (next: OverlayRequest): void => setRequest(next),
  close: (): void => setRequest(null),
} as const;

/** Opens the sign-in over the current screen. */
export function openSignIn(): void {
  overlay.open({ show: 'sign-in' });
}

/**
 * Opens the second step over the current screen.
 *
 * @param isMissing true to set it up
 */
export function openSecondFactor(isMissing: boolean): void {
  overlay.open(isMissing ? { show: 'profile', part: 'account' } : { show: 'second-factor' });
}

export function useOverlay(): ShownOverlay | null {
  return useSyncExternalStore(overlay.subscribe, overlay.get);
}

/** "Closing is ignored if there is a user id with an empty first name" (2§2, 3§4). */
export function canClose(person: { readonly uid: string; readonly name: { readonly first: string } } | null): boolean {
  return person === null || !isBlank(person.name.first);
}
