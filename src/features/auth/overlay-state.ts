import { useSyncExternalStore } from 'react';

/** Purpose of the overlay. */
export interface OverlayRequest {
  readonly show: 'sign-in' | 'profile';
  readonly part?: 'account';
  /** Cloud sign-in requested even if a box answers. */
  readonly ashore?: boolean;
  readonly email?: string;
  /** Mail sent before opening: a sign-in code or link, or a password reset code. */
  readonly sent?: 'code' | 'link' | 'reset';
}

/** Open request with the number of its opening. */
export type ShownOverlay = OverlayRequest & { readonly openingId: number };

let openings = 0;
let request: ShownOverlay | null = null;
const listeners = new Set<() => void>();

function setRequest(next: OverlayRequest | null): void {
  if (next === request) return;
  request = next === null ? null : { ...next, openingId: (openings += 1) };
  for (const listener of listeners) listener();
}

/** Global overlay, at most one. */
export const overlay = {
  get: (): ShownOverlay | null => request,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Opens the overlay; ignored while open. */
  open: (next: OverlayRequest): void => {
    if (request === null) setRequest(next);
  },
  /** Replaces the current request. */
  replace: (next: OverlayRequest): void => setRequest(next),
  close: (): void => setRequest(null),
} as const;

/** Opens the sign-in over the current screen. */
export function openSignIn(): void {
  overlay.open({ show: 'sign-in' });
}

export function useOverlay(): ShownOverlay | null {
  return useSyncExternalStore(overlay.subscribe, overlay.get);
}
