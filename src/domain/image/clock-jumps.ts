import type { ImageId } from '../ids';
import { readingMs } from '../survey/camera-clock';

/** Clock change between two consecutively numbered photographs: backwards, or ahead by more than a day's work. */
export interface ClockJump {
  readonly before: ImageId;
  readonly after: ImageId;
  /** Difference of the readings, ms; negative: backwards. */
  readonly byMs: number;
}

/** Photograph to check; its file name contains the sequence number. */
export interface Numbered {
  readonly id: ImageId;
  /** `DSCN0010.jpg`. */
  readonly name: string;
  /** Camera reading, ISO 8601 with or without a zone. */
  readonly taken: string | null;
  /** Result of `cameraName`. */
  readonly camera: string | null;
}

/** Cameras number a burst within the second, and some write the later one first. */
const BACK_MIN_MS = 60_000;
/** A survey is a dive or two: longer gaps are clock changes. */
const AHEAD_MIN_MS = 8 * 3_600_000;
/** Four-digit numbers restart after 9999; then both ends occur in one survey. */
const WRAPS_ABOVE = 9000;
const WRAPS_BELOW = 1000;
const WRAP = 10_000;

/**
 * Finds where a camera's clock changed within a survey, such as after a battery change. Times before and after need
 * different offsets, which only a person can decide.
 *
 * @returns in name order, camera by camera
 */
export function clockJumps(photographs: readonly Numbered[]): ClockJump[] {
  const rolls = new Map<
    string,
    { readonly id: ImageId; readonly number: number; readonly digits: number; readonly ms: number }[]
  >();
  for (const { id, name, taken, camera } of photographs) {
    const match = /^(.*?)(\d+)\D*$/.exec(name.replace(/\.[^.]*$/, ''));
    const ms = taken === null ? null : readingMs(taken);
    if (match === null || ms === null) continue;
    const [, prefix = '', digits = ''] = match;
    const roll = `${camera ?? ''}\n${prefix}`;
    rolls.set(roll, [...(rolls.get(roll) ?? []), { id, number: Number(digits), digits: digits.length, ms }]);
  }
  return [...rolls.values()].flatMap((roll) => {
    const wraps =
      roll.some(({ digits, number }) => digits === 4 && number > WRAPS_ABOVE) &&
      roll.some(({ number }) => number < WRAPS_BELOW);
    const place = (number: number): number => (wraps && number < WRAPS_BELOW ? number + WRAP : number);
    const sorted = [...roll].sort((a, b) => place(a.number) - place(b.number) || a.ms - b.ms);
    return sorted.flatMap((after, i): ClockJump[] => {
      const before = sorted[i - 1];
      if (before === undefined) return [];
      const byMs = after.ms - before.ms;
      return byMs < -BACK_MIN_MS || byMs > AHEAD_MIN_MS ? [{ before: before.id, after: after.id, byMs }] : [];
    });
  });
}
