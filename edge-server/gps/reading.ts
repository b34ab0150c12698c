/** What a receiver says of the time: ms since midnight UTC, and midnight of its date in ms since 1970; each null where it does not say. */
export interface ReceiverTime {
  readonly timeOfDay: number | null;
  readonly date: number | null;
}

/** How the vessel moves: knots; degrees from true north, 0..360. */
export interface Motion {
  readonly speed?: number;
  readonly heading?: number;
}

/** Why a line is refused. */
export type ReadingFault =
  /** No sentence at all: noise, half a sentence, another language. */
  | 'form'
  /** Without a checksum a flipped bit would move the vessel; every receiver of the last thirty years sends one. */
  | 'no-checksum'
  | 'checksum'
  /** A sentence of ours with a field that cannot be read, or that lies off the earth or the clock. */
  | 'field'
  | 'too-long';

/** What one line of a receiver came to. */
export type Reading =
  | {
      readonly kind: 'position';
      readonly lat: number;
      readonly lng: number;
      readonly time: ReceiverTime;
      readonly motion: Motion;
      /** Of which the fix was made, where the sentence says so. */ readonly satellites?: number;
    }
  | { readonly kind: 'motion'; readonly motion: Motion }
  | { readonly kind: 'time'; readonly time: ReceiverTime }
  /** Of how many satellites its fixes are made; at least one. */
  | { readonly kind: 'satellites'; readonly satellites: number }
  /** The receiver says itself that it has no fix. */
  | { readonly kind: 'void' }
  /** Well-formed, and nothing that we need: depth, wind, where the satellites stand, AIS. */
  | { readonly kind: 'other' }
  | { readonly kind: 'broken'; readonly fault: ReadingFault };

/**
 * A place that a receiver may mean: on the earth, and not the 0°, 0° that many give while they have none (open sea in the
 * Gulf of Guinea, far from every reef of the census).
 */
export function isPlausiblePosition(lat: number, lng: number): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && (lat !== 0 || lng !== 0);
}
