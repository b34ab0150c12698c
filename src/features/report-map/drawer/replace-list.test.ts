import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchPress } from './replace-list';

let page: EventTarget;
beforeEach(() => {
  vi.useFakeTimers();
  page = new EventTarget();
  vi.stubGlobal('window', page);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Happening = 'time' | readonly [name: string, members?: Readonly<Record<string, unknown>>];
const mouse = (name: string, members = {}): Happening => [name, { pointerId: 1, buttons: 1, ...members }];
const finger = (name: string, pointerId: number): Happening => [name, { pointerId, buttons: 1 }];
const key = (name: string, pressed: string, members = {}): Happening => [
  name,
  { key: pressed, metaKey: false, ...members },
];
const CLICK: Happening = ['click', { detail: 1 }];
const KEY_CLICK: Happening = ['click', { detail: 0 }];
const [DOWN, UP] = [mouse('pointerdown'), mouse('pointerup')];

/** True while something counts as pressed, after each event. */
function pressedAfter(...happenings: readonly Happening[]): readonly boolean[] {
  let isPressed = false;
  const stop = watchPress((now) => (isPressed = now));
  const states = happenings.map((happening) => {
    if (happening === 'time') vi.runAllTimers();
    else page.dispatchEvent(Object.assign(new Event(happening[0]), happening[1]));
    return isPressed;
  });
  stop();
  expect(isPressed).toBe(false);
  return states;
}

test('3§2 a press lasts until its click was handled, or some time without one passed', () => {
  expect(pressedAfter(DOWN, 'time', UP, CLICK)).toEqual([true, true, true, false]);
  expect(pressedAfter(DOWN, UP, 'time')).toEqual([true, true, false]);
  expect(pressedAfter(DOWN, mouse('pointercancel'))).toEqual([true, false]);
  expect(pressedAfter(DOWN, ['blur'])).toEqual([true, false]);
  expect(pressedAfter(DOWN, ['contextmenu'])).toEqual([true, false]);
});

test('3§2 a press whose release is not reported ends with the drag, or when the mouse moves without a button', () => {
  expect(pressedAfter(DOWN, ['dragend'])).toEqual([true, false]);
  expect(pressedAfter(DOWN, mouse('pointermove'), 'time')).toEqual([true, true, true]);
  expect(pressedAfter(DOWN, mouse('pointermove', { buttons: 0 }), 'time')).toEqual([true, true, false]);
});

test('3§2 only keys that click are a press, until their click or release', () => {
  const space = key('keydown', ' ');
  expect(pressedAfter(space, 'time', key('keyup', ' '), KEY_CLICK)).toEqual([true, true, true, false]);
  expect(pressedAfter(key('keydown', 'Enter'), KEY_CLICK, key('keyup', 'Enter'))).toEqual([true, false, false]);
  expect(pressedAfter(key('keydown', 'Enter'), key('keyup', 'Enter'), 'time')).toEqual([true, true, false]);
  for (const other of ['CapsLock', 'ArrowDown', 'Shift', 'a'])
    expect(pressedAfter(key('keydown', other)), other).toEqual([false]);
  expect(pressedAfter(key('keydown', 'Enter', { metaKey: true })), 'without a release on macOS').toEqual([false]);
});

test('3§2 a press is not ended by the release of an earlier press, of another finger or of a key', () => {
  expect(pressedAfter(DOWN, UP, DOWN, 'time')).toEqual([true, true, true, true]);
  const [first, second] = [finger('pointerdown', 2), finger('pointerdown', 3)];
  expect(pressedAfter(first, second, finger('pointerup', 3), 'time', CLICK)).toEqual([true, true, true, true, true]);
  expect(pressedAfter(first, second, finger('pointercancel', 2), 'time')).toEqual([true, true, true, true]);
  expect(pressedAfter(first, second, finger('pointerup', 2), finger('pointerup', 3), 'time')).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(pressedAfter(DOWN, key('keydown', ' '), key('keyup', ' '), 'time')).toEqual([true, true, true, true]);
  expect(pressedAfter(DOWN, key('keydown', 'a'), key('keyup', 'a'), 'time')).toEqual([true, true, true, true]);
});
