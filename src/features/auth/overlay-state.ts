import { useSyncExternalStore } from 'react';

/** What the overlay was opened for. */
export interface OverlayRequest {
  readonly show: 'sign-in' | 'profile';
  /** Ashore even where a box answers: the person asked for just that. */
  readonly ashore?: boolean;
  /** An address that is known already. */
  readonly email?: string;
  /** A code was mailed to it before the overlay opened. */
  readonly codeSent?: boolean;
  /** Offers to go on without an address. */
  readonly withAnonymous?: boolean;
}

let request: OverlayRequest | null = null;
const listeners = new Set<() => void>();

function become(next: OverlayRequest | null): void {
  if (next === request) return;
  request = next;
  for (const told of listeners) told();
}

/** The overlay over every screen, at most one. */
export const overlay = {
  get: (): OverlayRequest | null => request,
  subscribe: (told: () => void): (() => void) => {
    listeners.add(told);
    return () => listeners.delete(told);
  },
  /** Opens it; while it stands open it stays what it is. */
  open: (next: OverlayRequest): void => {
    if (request === null) become(next);
  },
  close: (): void => become(null),
} as const;

/** What the overlay stands open for; null: it is closed. */
export function useOverlay(): OverlayRequest | null {
  return useSyncExternalStore(overlay.subscribe, overlay.get);
}
