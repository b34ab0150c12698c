import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import type { PenInput, ViewerHandle } from '../../picture-viewer';

/** Steps of the cross-hair, CSS px: about the pen's width, and a fine one. */
const STEP_PX = 16;
const FINE_PX = 3;
/** Distance from the stage's rim at which the picture scrolls, CSS px. */
const RIM_PX = 48;

interface CrossHair {
  /** Position, normalised; null while painting by keys is off. */
  readonly at: readonly [number, number] | null;
  readonly isDown: boolean;
  readonly step: (x: number, y: number, isFine: boolean) => void;
  readonly press: () => void;
  readonly lift: () => void;
}

interface Props {
  readonly isOn: boolean;
  readonly viewer: RefObject<ViewerHandle | null>;
  readonly place: RefObject<HTMLElement | null>;
  readonly pen: PenInput;
  readonly kind: 'tap' | 'hold';
  /** Current tool; a change lifts the pen. */
  readonly tool: unknown;
}

/**
 * Keyboard painting: the arrows move a cross-hair in screen steps, Space presses and lifts the pen, which gets the
 * input of a pointer there.
 */
export function useCrossHair({ isOn, viewer, place, pen, kind, tool }: Props): CrossHair {
  const [at, setAt] = useState<readonly [number, number] | null>(null);
  const [isDown, setDown] = useState(false);
  const now = useRef<{ at: readonly [number, number] | null; isDown: boolean }>({ at: null, isDown: false });
  const moveTo = useCallback((next: readonly [number, number] | null, down: boolean) => {
    now.current = { at: next, isDown: down };
    setAt(next);
    setDown(down);
  }, []);
  /** Stage's middle in the picture, and the picture distance of a CSS px along both screen axes. */
  const axes = useCallback(() => {
    const box = place.current?.getBoundingClientRect();
    const shown = viewer.current;
    if (box === undefined || shown === null) return null;
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const middle = shown.placeOf(x, y);
    const right = shown.placeOf(x + 100, y);
    const down = shown.placeOf(x, y + 100);
    if (!middle.every(Number.isFinite)) return null;
    const along = (to: readonly [number, number]) => [(to[0] - middle[0]) / 100, (to[1] - middle[1]) / 100] as const;
    return { box, middle, right: along(right), down: along(down) };
  }, [place, viewer]);

  useEffect(() => {
    if (!isOn) return undefined;
    const middle = axes()?.middle;
    moveTo(middle === undefined ? [0.5, 0.5] : [clampUnit(middle[0]), clampUnit(middle[1])], false);
    place.current?.focus({ preventScroll: true });
    return () => {
      if (now.current.isDown) pen.cancel();
      moveTo(null, false);
    };
  }, [isOn, axes, moveTo, place, pen]);

  useEffect(() => {
    // The previous tool discarded its draft when it was replaced.
    if (now.current.isDown) moveTo(now.current.at, false);
  }, [tool, moveTo]);

  const step = useCallback(
    (x: number, y: number, isFine: boolean) => {
      const found = axes();
      const { at: from, isDown: down } = now.current;
      if (found === null || from === null) return;
      const px = isFine ? FINE_PX : STEP_PX;
      const next = [
        clampUnit(from[0] + px * (x * found.right[0] + y * found.down[0])),
        clampUnit(from[1] + px * (x * found.right[1] + y * found.down[1])),
      ] as const;
      moveTo(next, down);
      if (down) pen.move(Float64Array.of(next[0], next[1]));
      panIntoView(found, next, viewer.current);
    },
    [axes, moveTo, pen, viewer],
  );
  const press = useCallback(() => {
    const { at: here, isDown: down } = now.current;
    if (here === null) return;
    if (down) {
      moveTo(here, false);
      pen.up();
      return;
    }
    pen.down(here[0], here[1]);
    if (kind === 'tap') pen.up();
    else moveTo(here, true);
  }, [moveTo, kind, pen]);
  const lift = useCallback(() => {
    if (now.current.isDown) moveTo(now.current.at, false);
  }, [moveTo]);
  return { at, isDown, step, press, lift };
}

const clampUnit = (value: number): number => Math.min(1, Math.max(0, value));

interface Axes {
  readonly box: DOMRect;
  readonly middle: readonly [number, number];
  readonly right: readonly [number, number];
  readonly down: readonly [number, number];
}

function panIntoView(
  { box, middle, right, down }: Axes,
  [x, y]: readonly [number, number],
  viewer: ViewerHandle | null,
): void {
  // Offset from the middle in CSS px: the axes are perpendicular, so each is computed separately.
  const [dx, dy] = [x - middle[0], y - middle[1]];
  const along = (axis: readonly [number, number]): number =>
    Math.abs(axis[0]) > Math.abs(axis[1]) ? dx / axis[0] : dy / axis[1];
  const over = (way: number, half: number): number => (way > half ? way - half : way < -half ? way + half : 0);
  const panX = -over(along(right), box.width / 2 - RIM_PX);
  const panY = -over(along(down), box.height / 2 - RIM_PX);
  if (panX !== 0 || panY !== 0) viewer?.panBy(panX, panY);
}
