import type { EdgeGps } from '../../src/protocol/edge-socket';

/** A fix as a receiver gave it; its age is known when it is asked for. */
export type GpsFix = Omit<EdgeGps, 'age'> & {
  /** When it came, ms of `performance.now()`: a clock that is set in between makes no fix younger. */
  readonly receivedAt?: number;
};

/** Where the vessel is. */
export interface GpsSource {
  /** The latest fix, or null. */
  current(): GpsFix | null;
  /** Calls back at each new fix, until the returned function is called. */
  onFix(listener: (fix: GpsFix) => void): () => void;
  close(): void;
}

/** For a box with no receiver. */
export const noGps: GpsSource = { current: () => null, onFix: () => () => undefined, close: () => undefined };
