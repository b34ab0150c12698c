import type { EdgeGps, EdgeMeta } from '../../src/protocol/edge-socket';

/** Fix of a receiver; its age is computed on reading. */
export type GpsFix = Omit<EdgeGps, 'age'> & {
  /** Arrival, ms of `performance.now()`: setting the clock makes no fix younger. */
  readonly receivedAt?: number;
  /** False if the time is the box's own, or of a receiver whose clock is unproven; true by default. */
  readonly isTimeSure?: boolean;
};

/** State of the receiver: not set up, not answering, without a fix, with a fix. */
export type GpsState = NonNullable<EdgeMeta['gps']>;

/** Source of the vessel's position. */
export interface GpsSource {
  /** Latest fix, however old, or null. */
  current(): GpsFix | null;
  /** Registers a listener for new fixes; returns the unsubscribe function. */
  onFix(listener: (fix: GpsFix) => void): () => void;
  state?(): GpsState;
  close(): void;
}

export const noGps: GpsSource = {
  current: () => null,
  onFix: () => () => undefined,
  state: () => 'none',
  close: () => undefined,
};
