/** Ms since midnight UTC, and midnight of the date in ms since 1970; null if absent. */
export interface ReceiverTime {
  readonly timeOfDay: number | null;
  readonly date: number | null;
}

/** Knots; degrees from true north, 0..360. */
export interface Motion {
  readonly speed?: number;
  readonly heading?: number;
}

export type ReadingFault =
  /** Not a sentence: noise, half a sentence, another format. */
  | 'form'
  /** Without a checksum a flipped bit would move the vessel; every receiver of the last thirty years sends one. */
  | 'no-checksum'
  | 'checksum'
  /** Known sentence with an unreadable or out-of-range field. */
  | 'field'
  | 'too-long';

export type Reading =
  | {
      readonly kind: 'position';
      readonly lat: number;
      readonly lng: number;
      readonly time: ReceiverTime;
      readonly motion: Motion;
      /** Number of satellites in the fix, if reported. */ readonly satellites?: number;
    }
  | { readonly kind: 'motion'; readonly motion: Motion }
  | { readonly kind: 'time'; readonly time: ReceiverTime }
  /** Number of satellites in use, at least one. */
  | { readonly kind: 'satellites'; readonly satellites: number }
  | { readonly kind: 'void' }
  /** Well-formed and unused: depth, wind, satellite positions, AIS. */
  | { readonly kind: 'other' }
  | { readonly kind: 'broken'; readonly fault: ReadingFault };

/**
 * False beyond the earth, and for 0°, 0°, which many receivers send without a fix (far from every reef of the census).
 */
export function isPlausiblePosition(lat: number, lng: number): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && (lat !== 0 || lng !== 0);
}
