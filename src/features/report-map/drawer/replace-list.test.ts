import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { noteFocus, watchPress } from './replace-list';

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

describe('3§2 focus of a list that another takes the place of', () => {
  const body = { name: 'body' };
  const scrolled: string[] = [];
  /** Element in or outside the drawer; `step` is that of its card. */
  const part = (name: string, step: string | null, isInDrawer = true) => ({
    name,
    closest: (of: string) => (isInDrawer && of === 'aside' ? {} : null),
    getAttribute: (of: string) => (of === 'data-step' ? step : null),
    focus: (options: FocusOptions) => {
      expect(options, 'the drawer does not jump').toEqual({ preventScroll: true });
      doc.activeElement = name;
    },
    scrollIntoView: () => void scrolled.push(name),
  });
  const doc = {
    activeElement: null as unknown,
    body: body as unknown,
    querySelector: (of: string): unknown => (of === 'aside [data-drawer-content]' ? content : (cards.get(of) ?? null)),
  };
  const content = part('content', null);
  const cards = new Map<string, unknown>();

  /** Replaces the focused list by one with cards of these steps; returns the element that is focused then. */
  function focusedAfter(before: unknown, steps: readonly string[], meanwhile: unknown = body): unknown {
    cards.clear();
    scrolled.length = 0;
    for (const step of steps) cards.set(`aside [data-step="${step}"]`, part(`card ${step}`, step));
    doc.activeElement = before;
    const giveFocus = noteFocus();
    // The browser gives the focus of a removed element to the body.
    doc.activeElement = meanwhile;
    giveFocus();
    return doc.activeElement;
  }
  beforeEach(() => {
    vi.stubGlobal('document', doc);
    vi.stubGlobal('CSS', { escape: (text: string) => text });
  });

  test('goes to the card of the same reef, which is scrolled into view', () => {
    expect(focusedAfter(part('old card', 'gbr-2'), ['gbr-1', 'gbr-2'])).toBe('card gbr-2');
    expect(scrolled).toEqual(['card gbr-2']);
  });

  test('goes to the content of the drawer if the reef has no card any more, or none had the focus', () => {
    expect(focusedAfter(part('old card', 'gbr-9'), ['gbr-1'])).toBe('content');
    expect(focusedAfter(part('search', null), ['gbr-1'])).toBe('content');
    expect(scrolled).toEqual([]);
  });

  test('stays where a person has put it, and what was outside the drawer is left alone', () => {
    expect(focusedAfter(part('old card', 'gbr-1'), ['gbr-1'], 'a button')).toBe('a button');
    expect(focusedAfter(part('map', null, false), ['gbr-1'])).toBe(body);
    expect(focusedAfter(null, ['gbr-1'])).toBe(body);
  });
});
