/** What happened to a pointer. Places are CSS px of the stage, times ms. */
export type PointerHappening =
  | {
      readonly kind: 'down';
      readonly id: number;
      readonly type: PointerKind;
      readonly button: number;
      readonly x: number;
      readonly y: number;
      readonly at: number;
    }
  /** @see samples: x and y by turns, all since the last one; the newest last */
  | {
      readonly kind: 'move';
      readonly id: number;
      readonly type: PointerKind;
      readonly samples: readonly number[];
      readonly at: number;
    }
  | { readonly kind: 'up'; readonly id: number; readonly at: number }
  /** The system took the pointer. */
  | { readonly kind: 'cancel'; readonly id: number; readonly at: number };

export type PointerKind = 'mouse' | 'pen' | 'touch';

/** What is to be done about it. */
export type GestureDeed =
  | { readonly do: 'down'; readonly x: number; readonly y: number }
  | { readonly do: 'draw'; readonly samples: readonly number[] }
  | { readonly do: 'up' }
  | { readonly do: 'cancel' }
  | { readonly do: 'pan'; readonly x: number; readonly y: number }
  /** Moves by x and y, then zooms around a place. */
  | {
      readonly do: 'pinch';
      readonly x: number;
      readonly y: number;
      readonly factor: number;
      readonly atX: number;
      readonly atY: number;
    };

/** What the pointers are told. */
export interface GestureSetting {
  readonly hand: 'move' | 'paint';
  /** The space bar is down: the mouse moves the picture. */
  readonly isMoving: boolean;
}

/** So long after a pen was seen a touch is the palm of its hand, ms. */
const PALM_MS = 500;
/** From so many ms, and so many CSS px from its beginning, a stroke is one, and a second finger ends it; before, it was the first of two fingers. */
const STROKE_MS = 250;
const STROKE_PX = 24;

interface Pointer {
  readonly type: PointerKind;
  x: number;
  y: number;
}

type Hold =
  | { readonly what: 'nothing' }
  | {
      readonly what: 'stroke';
      readonly id: number;
      readonly since: number;
      readonly x: number;
      readonly y: number;
      isLong: boolean;
    }
  | { readonly what: 'pan'; readonly id: number }
  | { readonly what: 'pinch'; readonly ids: readonly [number, number] };

/**
 * What pointers mean on a picture. A pen paints, and from then on fingers move the picture; a finger paints or moves, by `hand`; two fingers move and
 * zoom always. A touch while the pen is there, or just was, is the palm and means nothing.
 */
export class Gestures {
  readonly #pointers = new Map<number, Pointer>();
  #hold: Hold = { what: 'nothing' };
  #penAt = -Infinity;
  #penCame = false;

  /** A stroke is being drawn. */
  get isDrawing(): boolean {
    return this.#hold.what === 'stroke';
  }

  handle(event: PointerHappening, setting: GestureSetting): readonly GestureDeed[] {
    switch (event.kind) {
      case 'down':
        return this.#down(event, setting);
      case 'move':
        return this.#move(event);
      case 'up':
      case 'cancel':
        return this.#leave(event);
    }
  }

  #down(
    { id, type, button, x, y, at }: PointerHappening & { readonly kind: 'down' },
    { hand, isMoving }: GestureSetting,
  ): GestureDeed[] {
    if (type === 'pen') this.#sawPen(at);
    if (type === 'touch') return this.#touch(id, x, y, at, hand);
    if (type === 'mouse' && button > 1) return [];
    // A pen or a mouse takes over from fingers: those that lie there are the palm.
    const deeds = this.#letGo();
    this.#pointers.clear();
    this.#pointers.set(id, { type, x, y });
    if (hand === 'move' || isMoving || button === 1) {
      this.#hold = { what: 'pan', id };
      return deeds;
    }
    return [...deeds, ...this.#begin(id, x, y, at)];
  }

  #touch(id: number, x: number, y: number, at: number, hand: 'move' | 'paint'): GestureDeed[] {
    // Its end was not told; the one that lay there before is gone.
    const gone = this.#leave({ kind: 'cancel', id, at });
    if (gone.length > 0) return [...gone, ...this.#touch(id, x, y, at, hand)];
    const isPalm = at - this.#penAt < PALM_MS || [...this.#pointers.values()].some(({ type }) => type !== 'touch');
    // A third finger and a fourth mean nothing.
    if (isPalm || this.#pointers.size >= 2) return [];
    this.#pointers.set(id, { type: 'touch', x, y });
    const [first, second] = [...this.#pointers.keys()];
    if (first !== undefined && second !== undefined) {
      const deeds = this.#letGo();
      this.#hold = { what: 'pinch', ids: [first, second] };
      return deeds;
    }
    if (hand === 'paint' && !this.#penCame) return this.#begin(id, x, y, at);
    this.#hold = { what: 'pan', id };
    return [];
  }

  #begin(id: number, x: number, y: number, at: number): GestureDeed[] {
    this.#hold = { what: 'stroke', id, since: at, x, y, isLong: false };
    return [{ do: 'down', x, y }];
  }

  #move({ id, type, samples, at }: PointerHappening & { readonly kind: 'move' }): GestureDeed[] {
    // A pen that hovers is in use, too.
    if (type === 'pen') this.#sawPen(at);
    const pointer = this.#pointers.get(id);
    const x = samples.at(-2);
    const y = samples.at(-1);
    if (pointer === undefined || x === undefined || y === undefined) return [];
    const hold = this.#hold;
    const from = { x: pointer.x, y: pointer.y };
    const spanBefore = hold.what === 'pinch' ? this.#span(hold.ids) : undefined;
    pointer.x = x;
    pointer.y = y;
    switch (hold.what) {
      case 'stroke':
        if (hold.id !== id) return [];
        if (at - hold.since > STROKE_MS && Math.hypot(x - hold.x, y - hold.y) > STROKE_PX) hold.isLong = true;
        return [{ do: 'draw', samples }];
      case 'pan':
        return hold.id === id ? [{ do: 'pan', x: x - from.x, y: y - from.y }] : [];
      case 'pinch': {
        const after = this.#span(hold.ids);
        if (spanBefore === undefined || after === undefined) return [];
        return [
          {
            do: 'pinch',
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

  #leave({ kind, id, at }: PointerHappening & { readonly kind: 'up' | 'cancel' }): GestureDeed[] {
    const pointer = this.#pointers.get(id);
    if (pointer === undefined) return [];
    if (pointer.type === 'pen') this.#sawPen(at);
    this.#pointers.delete(id);
    const hold = this.#hold;
    if (hold.what === 'pinch') {
      // The finger that stays moves the picture on; it does not begin to paint.
      const [rest] = this.#pointers.keys();
      this.#hold = rest === undefined ? { what: 'nothing' } : { what: 'pan', id: rest };
      return [];
    }
    if (hold.what === 'nothing' || hold.id !== id) return [];
    this.#hold = { what: 'nothing' };
    if (hold.what === 'pan') return [];
    return [{ do: kind === 'up' ? 'up' : 'cancel' }];
  }

  /** Ends what is held: a stroke that was one stands. */
  #letGo(): GestureDeed[] {
    const hold = this.#hold;
    this.#hold = { what: 'nothing' };
    return hold.what === 'stroke' ? [{ do: hold.isLong ? 'up' : 'cancel' }] : [];
  }

  #sawPen(at: number): void {
    this.#penAt = at;
    this.#penCame = true;
  }

  #span([first, second]: readonly [number, number]): { x: number; y: number; length: number } | undefined {
    const a = this.#pointers.get(first);
    const b = this.#pointers.get(second);
    if (a === undefined || b === undefined) return undefined;
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, length: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)) };
  }
}

/** CSS px of a line and of a page of a wheel's steps. */
const LINE_PX = 16;
const PAGE_PX = 400;
/** A notch of a wheel is 100 px or 3 lines: a sixth. Pinching on a pad sends small steps with the control key. */
const WHEEL_ZOOM = 0.0015;
const PAD_ZOOM = 0.01;

/** By what a turn of the wheel zooms. @param mode as of WheelEvent: 0 px, 1 lines, 2 pages */
export function wheelFactor(delta: number, mode: number, isPinch: boolean): number {
  const px = delta * (mode === 1 ? LINE_PX : mode === 2 ? PAGE_PX : 1);
  const most = Math.max(-300, Math.min(300, px));
  return Math.exp(-most * (isPinch && Math.abs(most) < 50 ? PAD_ZOOM : WHEEL_ZOOM));
}
