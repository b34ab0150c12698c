import type { PointerInput, PointerKind } from './gestures';

/** Places are CSS px of the element. */
interface PointerListener {
  /** @param isMoving the space bar is down */
  readonly onInput: (event: PointerInput, isMoving: boolean) => void;
  readonly onWheel: (delta: number, mode: number, isPinch: boolean, x: number, y: number) => void;
  /** Position of a hovering mouse or pen; null: outside. */
  readonly onHover: (place: readonly [number, number] | null) => void;
}

export function listenToPointers(element: HTMLElement, { onInput, onWheel, onHover }: PointerListener): () => void {
  const off = new AbortController();
  const { signal } = off;
  let isSpaceDown = false;
  let isOver = false;
  let box = element.getBoundingClientRect();
  // Measured once per gesture, not per sample: measuring forces a layout.
  const measure = (): void => void (box = element.getBoundingClientRect());
  const kindOf = ({ pointerType }: PointerEvent): PointerKind =>
    pointerType === 'pen' || pointerType === 'touch' ? pointerType : 'mouse';

  element.addEventListener(
    'pointerdown',
    (event) => {
      measure();
      // Captures all later events, wherever the pointer goes. A pointer that is already gone cannot be captured.
      if (element.isConnected) tryCapture(element, event.pointerId);
      if (event.pointerType === 'mouse' && event.button === 1) event.preventDefault();
      onInput(
        {
          kind: 'down',
          id: event.pointerId,
          type: kindOf(event),
          button: event.button,
          x: event.clientX - box.left,
          y: event.clientY - box.top,
          at: event.timeStamp,
        },
        isSpaceDown,
      );
    },
    { signal },
  );
  const moved = (event: PointerEvent): void => {
    const samples = samplesOf(event, box);
    onInput({ kind: 'move', id: event.pointerId, type: kindOf(event), samples, at: event.timeStamp }, isSpaceDown);
  };
  // Raw updates arrive before the frame: samples are painted a frame earlier.
  element.addEventListener(
    'onpointerrawupdate' in element ? 'pointerrawupdate' : 'pointermove',
    (event) => moved(event as PointerEvent),
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      if (event.pointerType !== 'touch') onHover([event.clientX - box.left, event.clientY - box.top]);
    },
    { signal },
  );
  element.addEventListener(
    'pointerup',
    (event) => onInput({ kind: 'up', id: event.pointerId, at: event.timeStamp }, isSpaceDown),
    { signal },
  );
  element.addEventListener(
    'pointercancel',
    (event) => onInput({ kind: 'cancel', id: event.pointerId, at: event.timeStamp }, isSpaceDown),
    { signal },
  );
  element.addEventListener('pointerenter', () => ((isOver = true), measure()), { signal });
  element.addEventListener('pointerleave', () => ((isOver = false), onHover(null)), { signal });
  element.addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
  element.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      measure();
      onWheel(event.deltaY, event.deltaMode, event.ctrlKey, event.clientX - box.left, event.clientY - box.top);
    },
    { signal, passive: false },
  );
  // A focused control handles the space bar itself.
  window.addEventListener(
    'keydown',
    (event) => {
      if (
        event.code !== 'Space' ||
        !isOver ||
        (event.target instanceof Element &&
          event.target.closest('button, a, input, select, textarea, [role="button"], [contenteditable]') !== null)
      )
        return;
      isSpaceDown = true;
      event.preventDefault();
    },
    { signal },
  );
  window.addEventListener('keyup', (event) => void (event.code === 'Space' && (isSpaceDown = false)), { signal });
  window.addEventListener('blur', () => void (isSpaceDown = false), { signal });
  return () => off.abort();
}

/** Part of a pointer event that {@link samplesOf} reads. */
type MoveEvent = Pick<PointerEvent, 'clientX' | 'clientY'> & {
  readonly getCoalescedEvents?: () => readonly Pick<PointerEvent, 'clientX' | 'clientY'>[];
};

/**
 * Places of a move relative to the element, x and y in turn. A fast pen produces several between two events; synthetic
 * events have only their own, and so has Safari before 18.2.
 */
export function samplesOf(event: MoveEvent, box: Pick<DOMRect, 'left' | 'top'>): number[] {
  const all = event.getCoalescedEvents?.() ?? [];
  return (all.length > 0 ? all : [event]).flatMap(({ clientX, clientY }) => [clientX - box.left, clientY - box.top]);
}

function tryCapture(element: HTMLElement, id: number): void {
  try {
    element.setPointerCapture(id);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'NotFoundError')) throw error;
  }
}
