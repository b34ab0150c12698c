import type { ImageId } from '../ids';
import { readingMs } from '../survey/camera-clock';

/** Between two photographs that a camera numbered one after the other, its clock went back, or ahead by more than a day's work. */
export interface ClockJump {
  readonly before: ImageId;
  readonly after: ImageId;
  /** By how much the readings differ, ms; negative: the clock went back. */
  readonly byMs: number;
}

/** What is looked at: the file's name numbers the photographs in the order in which they were taken. */
export interface Numbered {
  readonly id: ImageId;
  /** `DSCN0010.jpg`. */
  readonly name: string;
  /** The camera's reading, ISO 8601 with or without a zone. */
  readonly taken: string | null;
  /** As `cameraName` says it. */
  readonly camera: string | null;
}

/** Cameras number a burst within the second, and some write the later one first. */
const BACK_MIN_MS = 60_000;
/** A survey is a dive or two: its photographs are not further apart. */
const AHEAD_MIN_MS = 8 * 3_600_000;
/** Numbers of four digits begin again after 9999; then both ends are among a survey's names. */
const WRAPS_ABOVE = 9000;
const WRAPS_BELOW = 1000;
const WRAP = 10_000;

/**
 * Where a camera's clock jumped in the middle of a survey: a battery that was changed, a hand that set it. Times before
 * and after it need different offsets, and only a person can say which are right.
 *
 * @returns in the order of the names, camera by camera
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
