import { WATCH_MS, WetTouchDetector } from './wet-touch-detector';

/** Controls that a drop must not press. Pictures, charts and painting get every touch unfiltered. */
const CONTROLS =
  'button, a[href], label, input, select, textarea, summary, [role="button"], [role="link"], [role="radio"], [role="switch"], [role="checkbox"], [role="tab"], [role="option"], [role="menuitem"], [data-react-aria-pressable]';

/** Limits for mouse events that a browser derives from a touch: time after it, ms, and distance, px. */
const ECHO_MS = 800;
const ECHO_PX = 4;

/** Click that waits until its press was watched long enough. */
interface PendingClick {
  readonly target: Element;
  readonly event: MouseEvent;
}

/**
 * Keeps water from pressing controls while `isDeck` is true; sees window events before any control. A click of a press
 * shorter than `WATCH_MS` is delayed until then, or dropped. Mouse, pen, keyboard and screen reader are unaffected.
 * @param onWater called for each touch taken for water
 */
export function installWetTouchGuard(isDeck: () => boolean, onWater: () => void = () => undefined): () => void {
  const guard = new WetTouchGuard(isDeck, onWater);
  const kinds = [
    'pointerdown',
    'pointermove',
    'pointerup',
    'pointercancel',
    'mousedown',
    'mouseup',
    'click',
    'contextmenu',
  ] as const;
  for (const kind of kinds) window.addEventListener(kind, guard.handle, { capture: true });
  return () => {
    for (const kind of kinds) window.removeEventListener(kind, guard.handle, { capture: true });
  };
}

/** Touch on a control that is down, or whose click is pending. */
interface Press {
  readonly target: Element;
  readonly at: number;
}

class WetTouchGuard {
  readonly #touches = new WetTouchDetector();
  readonly #presses = new Map<number, Press>();
  /** Place and time of ended touches on controls: derived mouse events carry no id. */
  #ends: { readonly id: number; readonly x: number; readonly y: number; readonly time: number }[] = [];
  readonly #pendingClicks = new Map<number, PendingClick>();
  #passing = false;

  readonly #isDeck: () => boolean;
  readonly #onWater: () => void;

  constructor(isDeck: () => boolean, onWater: () => void) {
    this.#isDeck = isDeck;
    this.#onWater = onWater;
  }

  readonly handle = (event: MouseEvent): void => {
    if (this.#passing || !this.#isDeck()) return;
    const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
    switch (event.type) {
      case 'pointerdown':
        if (isTouch) this.#down(event);
        return;
      case 'pointermove':
        if (isTouch) this.#cancelPresses(this.#touches.addSample({ kind: 'move', ...sampleOf(event) }));
        return;
      case 'pointerup':
      case 'pointercancel':
        if (isTouch && event.isTrusted) this.#end(event);
        return;
      case 'click':
        this.#click(event);
        return;
      default:
        if (this.#isWet(this.#echoOf(event), event.timeStamp)) stop(event);
    }
  };

  #down(event: PointerEvent): void {
    const id = event.pointerId;
    const { target } = event;
    for (const each of this.#presses.keys())
      if (each === id || this.#touches.verdict(each, event.timeStamp) === 'unknown') this.#presses.delete(each);
    this.#pendingClicks.delete(id);
    const onControl = target instanceof Element && target.closest(CONTROLS) !== null;
    if (onControl) this.#presses.set(id, { target, at: event.timeStamp });
    const found = this.#touches.addSample({ kind: 'down', ...sampleOf(event), isOnly: event.isPrimary });
    this.#cancelPresses(found.filter((each) => each !== id));
    if (!found.includes(id)) return;
    this.#onWater();
    if (onControl) stop(event);
  }

  #end(event: PointerEvent): void {
    const { pointerId: id, timeStamp: time, clientX: x, clientY: y } = event;
    this.#touches.addSample({ kind: event.type === 'pointerup' ? 'up' : 'cancel', id, time });
    if (!this.#presses.has(id)) return;
    this.#ends = [...this.#ends.filter((each) => time - each.time <= ECHO_MS), { id, x, y, time }];
    if (this.#isWet(id, time)) stop(event);
  }

  #click(event: MouseEvent): void {
    const id = this.#pressOf(event);
    const press = id === undefined ? undefined : this.#presses.get(id);
    if (id === undefined || press === undefined || !(event.target instanceof Element)) return;
    const verdict = this.#touches.verdict(id, event.timeStamp);
    if (verdict === 'wet' || verdict === 'watched') stop(event);
    if (verdict !== 'watched' || this.#pendingClicks.has(id)) return;
    const held = { target: event.target, event };
    this.#pendingClicks.set(id, held);
    setTimeout(() => this.#dispatchClick(id, held), Math.max(0, press.at + WATCH_MS - event.timeStamp));
  }

  /** Press that caused a click: by id, by place, or by target for a click that a control dispatches while it waits. */
  #pressOf(event: MouseEvent): number | undefined {
    if (event.isTrusted) {
      if (event instanceof PointerEvent && event.pointerType !== '')
        return event.pointerType === 'touch' ? event.pointerId : undefined;
      // Clicks by key, screen reader or label have no place.
      return event.detail === 0 ? undefined : this.#echoOf(event);
    }
    const { target } = event;
    return target instanceof Element
      ? [...this.#pendingClicks].find(([, held]) => target.contains(held.target))?.[0]
      : undefined;
  }

  #dispatchClick(id: number, held: PendingClick): void {
    if (this.#pendingClicks.get(id) !== held) return;
    this.#pendingClicks.delete(id);
    const { target, event } = held;
    if (!target.isConnected) return;
    this.#withoutGuard(() =>
      target.dispatchEvent(
        new PointerEvent('click', {
          bubbles: true,
          cancelable: true,
          composed: true,
          view: window,
          detail: event.detail,
          clientX: event.clientX,
          clientY: event.clientY,
          screenX: event.screenX,
          screenY: event.screenY,
          pointerId: id,
          pointerType: 'touch',
        }),
      ),
    );
  }

  /** Cancels presses that turned out to be water, so that their clicks never happen. */
  #cancelPresses(ids: readonly number[]): void {
    for (const id of ids) {
      this.#pendingClicks.delete(id);
      this.#onWater();
      const target = this.#presses.get(id)?.target;
      if (target?.isConnected === true)
        this.#withoutGuard(() =>
          target.dispatchEvent(
            new PointerEvent('pointercancel', { bubbles: true, composed: true, pointerId: id, pointerType: 'touch' }),
          ),
        );
    }
  }

  #echoOf({ clientX, clientY, timeStamp }: MouseEvent): number | undefined {
    return this.#ends.findLast(
      ({ x, y, time }) =>
        timeStamp - time <= ECHO_MS && Math.abs(x - clientX) <= ECHO_PX && Math.abs(y - clientY) <= ECHO_PX,
    )?.id;
  }

  #isWet(id: number | undefined, time: number): boolean {
    return id !== undefined && this.#touches.verdict(id, time) === 'wet';
  }

  #withoutGuard(send: () => void): void {
    this.#passing = true;
    try {
      send();
    } finally {
      this.#passing = false;
    }
  }
}

function sampleOf({ pointerId, timeStamp, clientX, clientY, width, height }: PointerEvent) {
  return { id: pointerId, time: timeStamp, x: clientX, y: clientY, width, height };
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
