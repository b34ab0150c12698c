/** Order of the first seconds of a page: heavy work waits until the first view is painted. */

/** Longest time that heavy work waits, ms: a picture that stalls on a weak link must not hold back the tablet's data. */
const HOLD_MAX_MS = 3000;

const holds = new Set<symbol>();
let waiting: (() => void)[] = [];

/**
 * Holds back databases, map library and installation until the first picture of a page is on the screen.
 * @returns ends the hold; it also ends after some seconds
 */
export function holdHeavyWork(): () => void {
  const hold = Symbol('hold');
  holds.add(hold);
  const release = (): void => {
    clearTimeout(limit);
    if (!holds.delete(hold) || holds.size > 0) return;
    const released = waiting;
    waiting = [];
    for (const begin of released) begin();
  };
  const limit = setTimeout(release, HOLD_MAX_MS);
  return release;
}

/** Settles when nothing is held back. */
export function afterFirstView(): Promise<void> {
  return holds.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
}
