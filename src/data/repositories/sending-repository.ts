import type { WireError } from '../../domain/errors';
import type { OpKind } from '../../domain/op/op';
import type { ImageId, OpId } from '../../domain/ids';
import type { Live, Observable } from './live';

/** What the sender does now, for the whole tablet. */
export interface SendingFacts {
  /**
   * `elsewhere`: another tab of this tablet sends. `waiting`: something is owed and the next try is planned or needs a
   * connection. `done`: nothing is owed.
   */
  readonly state: 'sending' | 'waiting' | 'paused' | 'done' | 'elsewhere';
  /** What no receipt frees yet. `bytes`: photographs alone, those that the box has on disk already taken off. */
  readonly owed: { readonly records: number; readonly photographs: number; readonly bytes: number };
  /** Bytes per second over the last chunks; null before the first one. */
  readonly rate: number | null;
  /** ms until all is sent at that rate; null where nothing is known. */
  readonly leftMs: number | null;
  /** Photographs on their way. */
  readonly images: readonly { readonly id: ImageId; readonly sent: number; readonly bytes: number }[];
  /** Why the last try ended early. */
  readonly problem: WireError | null;
  /** ms since the epoch of the next try, where one is planned. */
  readonly nextTryAt: number | null;
}

/** An operation that a person has to look at. */
export interface HeldItem {
  readonly opId: OpId;
  readonly kind: OpKind;
  readonly docId: string;
  readonly reason: WireError;
  readonly at: string;
}

/** The outbox as a person sees it. It belongs to the tablet, whoever is signed in. */
export interface SendingRepository {
  readonly facts: Observable<SendingFacts>;
  readonly held: Live<HeldItem>;
  /** Stops after the chunk in hand; it outlives a restart. */
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  /** Tries at once, without waiting for the back-off. */
  readonly tryNow: () => void;
  /** Takes a held item up again. */
  readonly release: (opId: OpId) => Promise<void>;
}
