import { useSyncExternalStore } from 'react';

/** What the overlay was opened for. */
export interface OverlayRequest {
  readonly show: 'sign-in' | 'profile';
  /** What stands open in the profile. */
  readonly part?: 'account';
  /** Ashore even where a box answers: the person asked for just that. */
  readonly ashore?: boolean;
  /** An address that is known already. */
  readonly email?: string;
  /** What was mailed to it before the overlay opened: a code or a link to sign in with, or a code for a new password. */
  readonly sent?: 'code' | 'link' | 'reset';
}

/** What the overlay stands open for; each opening has a number of its own. */
export type ShownOverlay = OverlayRequest & { readonly openingId: number };

let openings = 0;
let request: ShownOverlay | null = null;
const listeners = new Set<() => void>();

function setRequest(next: OverlayRequest | null): void {
  if (next === request) return;
  request = next === null ? null : { ...next, openingId: (openings += 1) };
  for (const listener of listeners) listener();
}

/** The overlay over every screen, at most one. */
export const overlay = {
  get: (): ShownOverlay | null => request,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Opens it; while it stands open it stays what it is. */
  open: (next: OverlayRequest): void => {
    if (request === null) setRequest(next);
  },
  /** Opens it for something else than it stands open for. */
  replace: (next: OverlayRequest): void => setRequest(next),
  close: (): void => setRequest(null),
} as const;

/** Opens the sign-in over whatever screen stands. */
export function openSignIn(): void {
  overlay.open({ show: 'sign-in' });
}

/** What the overlay stands open for; null: it is closed. */
export function useOverlay(): ShownOverlay | null {
  return useSyncExternalStore(overlay.subscribe, overlay.get);
}
