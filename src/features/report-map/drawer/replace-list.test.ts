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

/** Whether something counts as pressed after each of the events. */
function pressedAfter(...names: readonly string[]): readonly boolean[] {
  let isPressed = false;
  const stop = watchPress((now) => (isPressed = now));
  const states = names.map((name) => {
    if (name === 'time') vi.runAllTimers();
    else page.dispatchEvent(new Event(name));
    return isPressed;
  });
  stop();
  expect(isPressed).toBe(false);
  return states;
}

test('3§2 a press lasts until its click was handled, or some time without one passed', () => {
  expect(pressedAfter('pointerdown', 'time', 'pointerup', 'click')).toEqual([true, true, true, false]);
  expect(pressedAfter('keydown', 'keyup', 'click')).toEqual([true, true, false]);
  expect(pressedAfter('pointerdown', 'pointerup', 'time')).toEqual([true, true, false]);
  expect(pressedAfter('pointerdown', 'pointercancel')).toEqual([true, false]);
  expect(pressedAfter('pointerdown', 'blur')).toEqual([true, false]);
  expect(pressedAfter('pointerdown', 'contextmenu')).toEqual([true, false]);
});

test('3§2 a second press is not ended by the release of the first', () => {
  expect(pressedAfter('pointerdown', 'pointerup', 'pointerdown', 'time')).toEqual([true, true, true, true]);
});
