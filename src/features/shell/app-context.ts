import type { Repositories } from '../../data/repositories';

/** Router context, filled by the composition root. */
export interface AppContext {
  /**
   * Opens the tablet's data once; every call returns the same promise. Loads the heavy libraries, after the first
   * paint.
   */
  readonly open: () => Promise<Repositories>;
  readonly update: AppUpdate;
  readonly readiness: Readiness;
  /** Origin of the box that served this page; empty for other servers. */
  readonly servedBy: string;
}

/** `starting`: taking over; the pages reload in a moment. */
export type UpdateState = 'none' | 'waiting' | 'starting';

export interface AppUpdate {
  readonly get: () => UpdateState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly check: () => void;
  /** Lets the waiting version take over and reloads all pages. False if a tab is busy: nothing happened. */
  readonly takeOver: () => Promise<boolean>;
}

/**
 * Permission of this page to capture (protocol, "Origins and certificates"): `insecure` is plain http on a name other
 * than localhost, `private` a window that stores no blobs.
 */
export type Readiness =
  | { readonly status: 'ready' }
  | { readonly status: 'insecure'; readonly host: string; readonly why: string }
  | { readonly status: 'old-browser' | 'private'; readonly why: string };
