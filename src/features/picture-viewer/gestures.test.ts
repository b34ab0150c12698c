import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GestureAction, PointerInput, PointerKind } from './gestures';
import { Gestures, wheelFactor } from './gestures';

function scene(hand: 'move' | 'paint' = 'paint') {
  const gestures = new Gestures();
  let at = 1000;
  const deeds: GestureAction[] = [];
  const tell = (event: PointerInput, isMoving = false): void =>
    void deeds.push(...gestures.handle(event, { pointerMode: hand, isMoving }));
  return {
    deeds,
    gestures,
    wait: (ms: number) => void (at += ms),
    down: (id: number, type: PointerKind, x: number, y: number, button = 0, isMoving = false) =>
      tell({ kind: 'down', id, type, button, x, y, at }, isMoving),
    move: (id: number, type: PointerKind, ...samples: number[]) => tell({ kind: 'move', id, type, samples, at }),
    up: (id: number) => tell({ kind: 'up', id, at }),
    cancel: (id: number) => tell({ kind: 'cancel', id, at }),
    done: () => deeds.splice(0).map((deed) => deed.kind),
  };
}

describe('2§4: pen, finger and mouse on a picture', () => {
  test('a pen paints all its samples, and fingers move the picture from then on', () => {
    const pen = scene();
    pen.down(1, 'pen', 10, 10);
    pen.move(1, 'pen', 11, 10, 12, 10, 13, 11);
    pen.up(1);
    expect(pen.deeds).toEqual([
      { kind: 'down', x: 10, y: 10 },
      { kind: 'draw', samples: [11, 10, 12, 10, 13, 11] },
      { kind: 'up' },
    ]);
    pen.deeds.length = 0;
    pen.wait(5000);
    pen.down(2, 'touch', 50, 50);
    pen.move(2, 'touch', 60, 45);
    pen.up(2);
    expect(pen.deeds).toEqual([{ kind: 'pan', x: 10, y: -5 }]);
  });

  test('the palm is ignored while the pen is near, and just after', () => {
    const palm = scene();
    palm.down(1, 'pen', 10, 10);
    palm.down(2, 'touch', 300, 300);
    palm.move(2, 'touch', 310, 300);
    palm.move(1, 'pen', 20, 20);
    palm.down(3, 'touch', 320, 300);
    palm.up(1);
    palm.wait(200);
    palm.down(4, 'touch', 330, 300);
    palm.move(4, 'touch', 400, 300);
    expect(palm.done()).toEqual(['down', 'draw', 'up']);
    palm.wait(5000);
    palm.move(1, 'pen', 30, 30);
    palm.down(5, 'touch', 330, 300);
    palm.move(5, 'touch', 400, 300);
    expect(palm.done()).toEqual([]);
  });

  test('a palm that lands before the pen paints nothing', () => {
    const early = scene();
    early.down(1, 'touch', 300, 300);
    early.wait(80);
    early.down(2, 'pen', 100, 100);
    early.move(1, 'touch', 310, 300);
    early.move(2, 'pen', 110, 100);
    early.up(1);
    early.up(2);
    expect(early.done()).toEqual(['down', 'cancel', 'down', 'draw', 'up']);
  });

  test('without a pen a finger paints, a second one pinches, and the remaining one moves', () => {
    const fingers = scene();
    fingers.down(1, 'touch', 100, 100);
    fingers.move(1, 'touch', 102, 100);
    fingers.down(2, 'touch', 200, 100);
    fingers.move(2, 'touch', 302, 100);
    expect(fingers.deeds.at(-1)).toEqual({ kind: 'pinch', x: 51, y: 0, factor: 200 / 98, atX: 202, atY: 100 });
    fingers.up(1);
    fingers.move(2, 'touch', 310, 105);
    fingers.up(2);
    expect(fingers.done()).toEqual(['down', 'draw', 'cancel', 'pinch', 'pan']);
    fingers.down(3, 'touch', 10, 10);
    expect(fingers.done()).toEqual(['down']);
  });

  test('a short press of the mode that moves is a tap, a rolling finger too; a drag and a pinch are none', () => {
    const taps = scene('move');
    taps.down(1, 'touch', 100, 100);
    taps.move(1, 'touch', 106, 104);
    taps.up(1);
    expect(taps.deeds.splice(0)).toEqual([{ kind: 'tap', x: 100, y: 100 }]);
    taps.down(1, 'touch', 100, 100);
    taps.move(1, 'touch', 106, 104);
    taps.move(1, 'touch', 130, 100);
    taps.move(1, 'touch', 101, 100);
    taps.up(1);
    // The whole way counts, from the first touch on.
    expect(taps.deeds.splice(0)).toEqual([
      { kind: 'pan', x: 30, y: 0 },
      { kind: 'pan', x: -29, y: 0 },
    ]);
    taps.down(1, 'touch', 100, 100);
    taps.down(2, 'touch', 200, 100);
    taps.up(1);
    taps.up(2);
    taps.down(3, 'touch', 50, 50);
    taps.cancel(3);
    expect(taps.done()).toEqual([]);
  });

  test('a completed stroke survives a second finger', () => {
    const long = scene();
    long.down(1, 'touch', 100, 100);
    long.wait(400);
    long.move(1, 'touch', 180, 100);
    long.down(2, 'touch', 300, 300);
    expect(long.done()).toEqual(['down', 'draw', 'up']);
  });

  test('a third finger is ignored, and the system may take the pointer', () => {
    const three = scene('move');
    for (const id of [1, 2, 3]) three.down(id, 'touch', id * 100, 100);
    three.move(3, 'touch', 500, 500);
    expect(three.done()).toEqual([]);
    const taken = scene();
    taken.down(1, 'touch', 100, 100);
    taken.cancel(1);
    taken.move(1, 'touch', 120, 100);
    taken.up(1);
    expect(taken.done()).toEqual(['down', 'cancel']);
  });

  test('the mouse paints or moves, middle button and space move, and right does nothing', () => {
    const mouse = scene();
    for (const [button, space] of [
      [0, false],
      [1, false],
      [2, false],
      [0, true],
    ] as const) {
      mouse.down(1, 'mouse', 10, 10, button, space);
      mouse.move(1, 'mouse', 20, 20);
      mouse.up(1);
    }
    expect(mouse.done()).toEqual(['down', 'draw', 'up', 'pan', 'pan']);
    const moving = scene('move');
    moving.down(1, 'mouse', 10, 10);
    moving.move(1, 'mouse', 20, 25);
    expect(moving.deeds).toEqual([{ kind: 'pan', x: 10, y: 15 }]);
  });

  test('any pointer input begins and ends each stroke once', () => {
    const kind = fc.constantFrom<PointerKind>('mouse', 'pen', 'touch');
    const id = fc.nat(4);
    const place = fc.integer({ min: 0, max: 500 });
    const event = fc.oneof(
      fc.record({
        kind: fc.constant('down' as const),
        id,
        type: kind,
        button: fc.nat(2),
        x: place,
        y: place,
        wait: fc.nat(700),
      }),
      fc.record({
        kind: fc.constant('move' as const),
        id,
        type: kind,
        samples: fc.array(place, { maxLength: 6 }),
        wait: fc.nat(700),
      }),
      fc.record({ kind: fc.constantFrom('up' as const, 'cancel' as const), id, wait: fc.nat(700) }),
    );
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 60 }),
        fc.constantFrom<'move' | 'paint'>('move', 'paint'),
        (events, hand) => {
          const gestures = new Gestures();
          let at = 0;
          let isOpen = false;
          for (const { wait, ...each } of events) {
            at += wait;
            for (const deed of gestures.handle({ ...each, at }, { pointerMode: hand, isMoving: false })) {
              if (deed.kind === 'down') {
                expect(isOpen).toBe(false);
                isOpen = true;
              } else if (deed.kind === 'draw') expect(isOpen).toBe(true);
              else if (deed.kind === 'up' || deed.kind === 'cancel') {
                expect(isOpen).toBe(true);
                isOpen = false;
              } else if (deed.kind === 'pinch') expect(deed.factor > 0 && Number.isFinite(deed.factor)).toBe(true);
            }
            expect(gestures.isDrawing).toBe(isOpen);
          }
        },
      ),
    );
  });

  test('the wheel zooms by px, lines and pages, in bounded steps', () => {
    expect(wheelFactor(-100, 0, false)).toBeGreaterThan(1.1);
    expect(wheelFactor(-100, 0, false) * wheelFactor(100, 0, false)).toBeCloseTo(1, 12);
    expect(wheelFactor(-3, 1, false)).toBeGreaterThan(1.05);
    expect(wheelFactor(-1e9, 2, true)).toBeLessThan(2);
    expect(wheelFactor(-4, 0, true)).toBeCloseTo(1.04, 2);
  });
});
