import type { EdgeGps, EdgeMeta } from '../../src/protocol/edge-socket';

/** A fix as a receiver gave it; its age is known when it is asked for. */
export type GpsFix = Omit<EdgeGps, 'age'> & {
  /** When it came, ms of `performance.now()`: a clock that is set in between makes no fix younger. */
  readonly receivedAt?: number;
  /** False where its time is the box's own, or that of a receiver whose clock has not proven itself; by default true. */
  readonly isTimeSure?: boolean;
};

/** How it stands with the receiver: none is set up, it does not answer, it has no fix, it has one. */
export type GpsState = NonNullable<EdgeMeta['gps']>;

/** Where the vessel is. */
export interface GpsSource {
  /** The latest fix, however old, or null. */
  current(): GpsFix | null;
  /** Calls back at each new fix, until the returned function is called. */
  onFix(listener: (fix: GpsFix) => void): () => void;
  state?(): GpsState;
  close(): void;
}

/** For a box with no receiver. */
export const noGps: GpsSource = {
  current: () => null,
  onFix: () => () => undefined,
  state: () => 'none',
  close: () => undefined,
};
