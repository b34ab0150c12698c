import { useEffect, useRef, type MouseEvent, type RefObject } from 'react';

/** Option that a pointer went down on, and whether it is chosen already. */
interface HeldOption {
  readonly id: string;
  readonly pointer: number;
  isChosen: boolean;
}

interface Lift {
  readonly list: RefObject<HTMLDivElement | null>;
  /** Chooses by key or screen reader, which click without a pointer. */
  readonly click: (event: MouseEvent, id: string) => void;
}

/**
 * Chooses an option (`data-option`) of a list when the pointer is lifted. A touch then ends without its mouse events,
 * focus and click: they would be part of the frame that shows the choice. The listeners are the list's own: React's would
 * look for theirs in the whole tree first.
 * @param onChoose null while nothing can be chosen
 */
export function useLift(onChoose: ((id: string) => void) | null): Lift {
  const list = useRef<HTMLDivElement>(null);
  const held = useRef<HeldOption | null>(null);
  const latest = useRef(onChoose);
  useEffect(() => {
    latest.current = onChoose;
  }, [onChoose]);
  useEffect(() => {
    const of = list.current;
    if (of === null) return undefined;
    const down = ({ target, pointerId, isPrimary, button }: PointerEvent): void => {
      const id = optionOf(target)?.dataset['option'];
      held.current =
        id === undefined || !isPrimary || button !== 0 ? null : { id, pointer: pointerId, isChosen: false };
    };
    const up = ({ target, pointerId, clientX, clientY }: PointerEvent): void => {
      const [option, on] = [optionOf(target), held.current];
      if (on === null || on.isChosen || latest.current === null || option?.dataset['option'] !== on.id) return;
      if (on.pointer !== pointerId || !isOver(option, clientX, clientY)) return;
      on.isChosen = true;
      latest.current(on.id);
    };
    const touchEnd = (event: TouchEvent): void => {
      if (held.current?.isChosen === true && event.cancelable) event.preventDefault();
    };
    const listening = new AbortController();
    of.addEventListener('pointerdown', down, { signal: listening.signal });
    of.addEventListener('pointerup', up, { signal: listening.signal });
    of.addEventListener('touchend', touchEnd, { signal: listening.signal, passive: false });
    return () => listening.abort();
  }, []);
  return {
    list,
    click: ({ detail }, id) => {
      // `detail` counts the clicks of a pointer.
      const isChosen = detail > 0 && held.current?.id === id && held.current.isChosen;
      held.current = null;
      if (!isChosen) onChoose?.(id);
    },
  };
}

/** A touch goes on reporting to where it began. */
function isOver(option: HTMLElement, x: number, y: number): boolean {
  const { left, right, top, bottom } = option.getBoundingClientRect();
  return x >= left && x <= right && y >= top && y <= bottom;
}

const optionOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-option]') : null;
