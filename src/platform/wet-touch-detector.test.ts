import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALM_MS, WATCH_MS, WetTouchDetector } from './wet-touch-detector';

const FINGER = { width: 28, height: 30 };

function tap(
  judge: WetTouchDetector,
  id: number,
  at: { time: number; x: number; y: number; ms?: number; width?: number; height?: number },
): number {
  const { time, ms = 80 } = at;
  judge.addSample({ kind: 'down', id, ...FINGER, ...at });
  judge.addSample({ kind: 'up', id, time: time + ms });
  return id;
}

const place = fc.record({ x: fc.integer({ min: 0, max: 1180 }), y: fc.integer({ min: 0, max: 820 }) });

/** Places further apart than a control and its gap: a grid of 160 px with at most 20 px of jitter. */
const scattered = (min: number) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: 34 }), { minLength: min, maxLength: 9 })
    .chain((cells) =>
      fc
        .array(fc.record({ dx: fc.integer({ min: -20, max: 20 }), dy: fc.integer({ min: -20, max: 20 }) }), {
          minLength: cells.length,
          maxLength: cells.length,
        })
        .map((off) =>
          cells.map((cell, i) => ({
            x: 80 + (cell % 7) * 160 + off[i]!.dx,
            y: 80 + Math.floor(cell / 7) * 160 + off[i]!.dy,
          })),
        ),
    );

describe('wet touches', () => {
  it('3§2 a single press passes after the watch time, however long', () => {
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 10, max: 80 }), (at, ms, size) => {
        const judge = new WetTouchDetector();
        judge.addSample({ kind: 'down', id: 1, time: 1000, ...at, width: size, height: size });
        expect(judge.verdict(1, 1000)).toBe('watched');
        judge.addSample({ kind: 'move', id: 1, time: 1001, ...at, width: size, height: size });
        judge.addSample({ kind: 'up', id: 1, time: 1000 + ms });
        expect(judge.verdict(1, 1000 + Math.max(WATCH_MS, ms))).toBe('pressed');
      }),
    );
  });

  it('3§2 successive presses pass, at one place or at several', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ at: place, gap: fc.integer({ min: 210, max: 2000 }), ms: fc.integer({ min: 40, max: 200 }) }),
          { minLength: 2, maxLength: 12 },
        ),
        (presses) => {
          const judge = new WetTouchDetector();
          let time = 0;
          for (const [id, { at, gap, ms }] of presses.entries()) {
            time += gap;
            tap(judge, id, { time, ...at, ms });
            expect(judge.verdict(id, time + Math.max(WATCH_MS, ms))).toBe('pressed');
          }
        },
      ),
    );
  });

  it('3§2 a double press at one place passes', () => {
    fc.assert(
      fc.property(place, fc.integer({ min: 90, max: 600 }), (at, gap) => {
        const judge = new WetTouchDetector();
        tap(judge, 1, { time: 0, ...at, ms: 60 });
        // Verdict on the first contact once watched, or at the second one if that comes earlier.
        const first = () => judge.verdict(1, WATCH_MS);
        if (gap > WATCH_MS) expect(first()).toBe('pressed');
        tap(judge, 2, { time: gap, x: at.x + 6, y: at.y - 4, ms: 60 });
        if (gap <= WATCH_MS) expect(first()).toBe('pressed');
        expect(judge.verdict(2, gap + WATCH_MS)).toBe('pressed');
      }),
    );
  });

  it('3§2 of a burst at scattered places no touch passes, not even the first drop', () => {
    fc.assert(
      fc.property(
        scattered(2),
        fc.array(fc.integer({ min: 0, max: WATCH_MS - 1 }), { minLength: 9, maxLength: 9 }),
        fc.integer({ min: 1, max: 400 }),
        (drops, gaps, ms) => {
          const judge = new WetTouchDetector();
          let time = 0;
          const fell = drops.map((at, id) => {
            time += gaps[id]!;
            tap(judge, id, { time, ...at, ms });
            return id;
          });
          for (const id of fell) expect(judge.verdict(id, time), `drop ${id} of ${drops.length}`).not.toBe('pressed');
          expect(judge.verdict(fell.at(-1)!, time + 1000)).toBe('wet');
        },
      ),
    );
  });

  it('3§2 three places within 400 ms are a burst, even if each pair leaves time for one hand', () => {
    const judge = new WetTouchDetector();
    tap(judge, 1, { time: 0, x: 100, y: 100, ms: 30 });
    tap(judge, 2, { time: 190, x: 500, y: 100, ms: 30 });
    tap(judge, 3, { time: 380, x: 900, y: 600, ms: 30 });
    expect([2, 3].map((id) => judge.verdict(id, 390))).toEqual(['wet', 'wet']);
  });

  it('3§2 four drops on one place within 400 ms are too fast for a finger', () => {
    const judge = new WetTouchDetector();
    for (const id of [0, 1, 2, 3]) tap(judge, id, { time: id * 100, x: 200, y: 200, ms: 10 });
    expect(judge.verdict(3, 2000)).toBe('wet');
  });

  it('3§2 three contacts at once are not a press, and two slow ones may still pinch', () => {
    const judge = new WetTouchDetector();
    const down = (id: number, time: number) =>
      judge.addSample({ kind: 'down', id, time, x: 100 + id * 300, y: 300, ...FINGER });
    expect([...down(0, 0), ...down(1, 500)]).toEqual([]);
    expect([...down(2, 1000)]).toEqual([0, 1, 2]);
  });

  it('3§2 a puddle is not a finger, whether large at once or growing', () => {
    fc.assert(
      fc.property(place, fc.integer({ min: 96, max: 900 }), fc.boolean(), (at, size, tall) => {
        const large = tall ? { width: 20, height: size } : { width: size, height: 20 };
        const judge = new WetTouchDetector();
        expect(judge.addSample({ kind: 'down', id: 1, time: 0, ...at, ...large })).toEqual([1]);
        const growing = new WetTouchDetector();
        growing.addSample({ kind: 'down', id: 1, time: 0, ...at, ...FINGER });
        expect(growing.addSample({ kind: 'move', id: 1, time: 900, ...at, ...large })).toEqual([1]);
        expect(growing.verdict(1, 2000)).toBe('wet');
      }),
    );
  });

  it('3§2 after a burst, a press passes only after a calm period', () => {
    const judge = new WetTouchDetector();
    tap(judge, 1, { time: 0, x: 100, y: 100 });
    tap(judge, 2, { time: 60, x: 700, y: 500 });
    expect(judge.verdict(tap(judge, 3, { time: 60 + CALM_MS - 1, x: 400, y: 300 }), 5000)).toBe('wet');
    expect(judge.verdict(tap(judge, 4, { time: 60 + 2 * CALM_MS + 200, x: 400, y: 300 }), 5000)).toBe('pressed');
  });

  it('3§2 a held press continues while one drop falls elsewhere', () => {
    const judge = new WetTouchDetector();
    judge.addSample({ kind: 'down', id: 1, time: 0, x: 100, y: 100, ...FINGER });
    expect(judge.addSample({ kind: 'down', id: 2, time: 700, x: 900, y: 600, ...FINGER })).toEqual([]);
    expect(judge.verdict(1, 1000)).toBe('pressed');
  });

  it('3§2 touches without a reported end expire', () => {
    const judge = new WetTouchDetector();
    for (const id of [0, 1])
      judge.addSample({ kind: 'down', id, time: id * 1000, x: 100 + id * 400, y: 100, ...FINGER });
    expect(judge.addSample({ kind: 'down', id: 2, time: 9000, x: 500, y: 500, ...FINGER, isOnly: true })).toEqual([]);
    expect(judge.verdict(2, 9200)).toBe('pressed');
  });
});
