import type { Repositories } from '../../data/repositories';

/** What the router gives every route; the composition root fills it. */
export interface AppContext {
  /** Opens the tablet's data, once; every call gives the same promise. The heavy libraries are loaded by it, after the first paint. */
  readonly open: () => Promise<Repositories>;
  readonly update: AppUpdate;
  readonly readiness: Readiness;
  /** The origin of the box that served this page; empty where the page came from elsewhere. */
  readonly servedBy: string;
}

/** `starting`: it was told to take over, and the pages load anew in a moment. */
export type UpdateState = 'none' | 'waiting' | 'starting';

/** A new version of the app that waits to take over. */
export interface AppUpdate {
  readonly get: () => UpdateState;
  /** Calls back on every change; gives the way to stop. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Asks the server for a newer version; call it when one came into reach. */
  readonly check: () => void;
  /** Lets the waiting version take over, and all pages load anew. False where a tab is in the middle of work: nothing happened then. */
  readonly takeOver: () => Promise<boolean>;
}

/** Whether this page may capture (protocol, "Origins and certificates"): `insecure` is plain http on a name that is not localhost. */
export type Readiness =
  | { readonly status: 'ready' }
  | { readonly status: 'insecure'; readonly host: string; readonly why: string }
  | { readonly status: 'old-browser'; readonly why: string };
