/** Pointer event. Places are CSS px of the stage, times ms. */
export type PointerInput =
  | {
      readonly kind: 'down';
      readonly id: number;
      readonly type: PointerKind;
      readonly button: number;
      readonly x: number;
      readonly y: number;
      readonly at: number;
    }
  /** @see samples: x and y alternating, all since the last event; newest last */
  | {
      readonly kind: 'move';
      readonly id: number;
      readonly type: PointerKind;
      readonly samples: readonly number[];
      readonly at: number;
    }
  | { readonly kind: 'up'; readonly id: number; readonly at: number }
  /** Cancelled by the system. */
  | { readonly kind: 'cancel'; readonly id: number; readonly at: number };

export type PointerKind = 'mouse' | 'pen' | 'touch';

export type GestureAction =
  | { readonly kind: 'down'; readonly x: number; readonly y: number }
  | { readonly kind: 'draw'; readonly samples: readonly number[] }
  | { readonly kind: 'up' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'pan'; readonly x: number; readonly y: number }
  /** Short press in the mode `move`, which moved nothing. */
  | { readonly kind: 'tap'; readonly x: number; readonly y: number }
  /** Pans by x and y, then zooms around a place. */
  | {
      readonly kind: 'pinch';
      readonly x: number;
      readonly y: number;
      readonly factor: number;
      readonly atX: number;
      readonly atY: number;
    };

interface GestureSettings {
  readonly pointerMode: 'move' | 'paint';
  /** True while the space bar is down: the mouse moves the picture. */
  readonly isMoving: boolean;
}

/** Time after pen input in which a touch is the palm, ms. */
const PALM_MS = 500;
/**
 * Thresholds (ms, CSS px) from which a second finger ends a stroke; before, it cancels it, as the first finger of a
 * pinch.
 */
const STROKE_MS = 250;
const STROKE_PX = 24;
/** Distance up to which a pointer of the mode `move` taps, CSS px; beyond, it pans. A fingertip rolls more than a pen. */
const TAP_PX: Readonly<Record<PointerKind, number>> = { mouse: 4, pen: 6, touch: 10 };

interface Pointer {
  readonly type: PointerKind;
  x: number;
  y: number;
}

type ActiveGesture =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'stroke';
      readonly id: number;
      readonly since: number;
      readonly x: number;
      readonly y: number;
      isLong: boolean;
    }
  | { readonly kind: 'pan'; readonly id: number; readonly x: number; readonly y: number; mayTap: boolean }
  | { readonly kind: 'pinch'; readonly ids: readonly [number, number] };

/**
 * Interprets pointers. A pen paints, and fingers then move the picture; otherwise a finger acts by `pointerMode`. Two
 * fingers always move and zoom. A touch during or shortly after pen input is the palm.
 */
export class Gestures {
  readonly #pointers = new Map<number, Pointer>();
  #active: ActiveGesture = { kind: 'nothing' };
  #penAt = -Infinity;
  #hasSeenPen = false;

  get isDrawing(): boolean {
    return this.#active.kind === 'stroke';
  }

  handle(event: PointerInput, setting: GestureSettings): readonly GestureAction[] {
    switch (event.kind) {
      case 'down':
        return this.#down(event, setting);
      case 'move':
        return this.#move(event);
      case 'up':
      case 'cancel':
        return this.#release(event);
    }
  }

  #down(
    { id, type, button, x, y, at }: PointerInput & { readonly kind: 'down' },
    { pointerMode, isMoving }: GestureSettings,
  ): GestureAction[] {
    if (type === 'pen') this.#notePen(at);
    if (type === 'touch') return this.#touch(id, x, y, at, pointerMode);
    if (type === 'mouse' && button > 1) return [];
    // A pen or mouse takes over from fingers: the touches present are the palm.
    const actions = this.#endActive();
    this.#pointers.clear();
    this.#pointers.set(id, { type, x, y });
    if (pointerMode === 'move' || isMoving || button === 1) {
      this.#active = { kind: 'pan', id, x, y, mayTap: button === 0 && !isMoving };
      return actions;
    }
    return [...actions, ...this.#begin(id, x, y, at)];
  }

  #touch(id: number, x: number, y: number, at: number, hand: 'move' | 'paint'): GestureAction[] {
    // The end of the earlier touch with this id was never reported.
    const gone = this.#release({ kind: 'cancel', id, at });
    if (gone.length > 0) return [...gone, ...this.#touch(id, x, y, at, hand)];
    const isPalm = at - this.#penAt < PALM_MS || [...this.#pointers.values()].some(({ type }) => type !== 'touch');
    // Third and fourth fingers are ignored.
    if (isPalm || this.#pointers.size >= 2) return [];
    this.#pointers.set(id, { type: 'touch', x, y });
    const [first, second] = [...this.#pointers.keys()];
    if (first !== undefined && second !== undefined) {
      const actions = this.#endActive();
      this.#active = { kind: 'pinch', ids: [first, second] };
      return actions;
    }
    if (hand === 'paint' && !this.#hasSeenPen) return this.#begin(id, x, y, at);
    this.#active = { kind: 'pan', id, x, y, mayTap: true };
    return [];
  }

  #begin(id: number, x: number, y: number, at: number): GestureAction[] {
    this.#active = { kind: 'stroke', id, since: at, x, y, isLong: false };
    return [{ kind: 'down', x, y }];
  }

  #move({ id, type, samples, at }: PointerInput & { readonly kind: 'move' }): GestureAction[] {
    // A hovering pen counts as in use.
    if (type === 'pen') this.#notePen(at);
    const pointer = this.#pointers.get(id);
    const x = samples.at(-2);
    const y = samples.at(-1);
    if (pointer === undefined || x === undefined || y === undefined) return [];
    const hold = this.#active;
    const from = { x: pointer.x, y: pointer.y };
    const spanBefore = hold.kind === 'pinch' ? this.#span(hold.ids) : undefined;
    pointer.x = x;
    pointer.y = y;
    switch (hold.kind) {
      case 'stroke':
        if (hold.id !== id) return [];
        if (at - hold.since > STROKE_MS && Math.hypot(x - hold.x, y - hold.y) > STROKE_PX) hold.isLong = true;
        return [{ kind: 'draw', samples }];
      case 'pan':
        if (hold.id !== id) return [];
        if (!hold.mayTap) return [{ kind: 'pan', x: x - from.x, y: y - from.y }];
        if (Math.hypot(x - hold.x, y - hold.y) <= TAP_PX[pointer.type]) return [];
        hold.mayTap = false;
        return [{ kind: 'pan', x: x - hold.x, y: y - hold.y }];
      case 'pinch': {
        const after = this.#span(hold.ids);
        if (spanBefore === undefined || after === undefined) return [];
        return [
          {
            kind: 'pinch',
            x: after.x - spanBefore.x,
            y: after.y - spanBefore.y,
            factor: after.length / spanBefore.length,
            atX: after.x,
            atY: after.y,
          },
        ];
      }
      case 'nothing':
        return [];
    }
  }

  #release({ kind, id, at }: PointerInput & { readonly kind: 'up' | 'cancel' }): GestureAction[] {
    const pointer = this.#pointers.get(id);
    if (pointer === undefined) return [];
    if (pointer.type === 'pen') this.#notePen(at);
    this.#pointers.delete(id);
    const hold = this.#active;
    if (hold.kind === 'pinch') {
      // The remaining finger continues to pan; it does not start to paint.
      const [rest] = this.#pointers.keys();
      this.#active = rest === undefined ? { kind: 'nothing' } : { kind: 'pan', id: rest, x: 0, y: 0, mayTap: false };
      return [];
    }
    if (hold.kind === 'nothing' || hold.id !== id) return [];
    this.#active = { kind: 'nothing' };
    if (hold.kind === 'pan') return hold.mayTap && kind === 'up' ? [{ kind: 'tap', x: hold.x, y: hold.y }] : [];
    return [{ kind: kind === 'up' ? 'up' : 'cancel' }];
  }

  /** Ends the active gesture: a final stroke is finished, a short one cancelled. */
  #endActive(): GestureAction[] {
    const hold = this.#active;
    this.#active = { kind: 'nothing' };
    return hold.kind === 'stroke' ? [{ kind: hold.isLong ? 'up' : 'cancel' }] : [];
  }

  #notePen(at: number): void {
    this.#penAt = at;
    this.#hasSeenPen = true;
  }

  #span([first, second]: readonly [number, number]): { x: number; y: number; length: number } | undefined {
    const a = this.#pointers.get(first);
    const b = this.#pointers.get(second);
    if (a === undefined || b === undefined) return undefined;
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, length: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)) };
  }
}

/** CSS px per line and per page of wheel steps. */
const LINE_PX = 16;
const PAGE_PX = 400;
/**
 * Zoom per wheel px: a notch is 100 px or 3 lines, a sixth. Pinching on a trackpad sends small steps with the control
 * key.
 */
const WHEEL_ZOOM = 0.0015;
const PAD_ZOOM = 0.01;

/** Zoom factor of a wheel turn. @param mode as of WheelEvent: 0 px, 1 lines, 2 pages */
export function wheelFactor(delta: number, mode: number, isPinch: boolean): number {
  const px = delta * (mode === 1 ? LINE_PX : mode === 2 ? PAGE_PX : 1);
  const most = Math.max(-300, Math.min(300, px));
  return Math.exp(-most * (isPinch && Math.abs(most) < 50 ? PAD_ZOOM : WHEEL_ZOOM));
}
