import { useEffect, useRef, type RefObject } from 'react';
import { scrollParent } from './scroll-parent';

/** Reef and survey that are open. */
interface Step {
  readonly reef: string | null;
  readonly survey: string | null;
}

/**
 * Keeps the keyboard in the drawer when the element that had the focus is gone: a step back returns to the card that was
 * left (`data-step`, its reef or survey), a step forward to the top of the drawer.
 */
export function useFocusOnStep(content: RefObject<HTMLElement | null>, { reef, survey }: Step): void {
  const before = useRef<Step>({ reef, survey });
  useEffect(() => {
    const left = before.current;
    if (left.reef === reef && left.survey === survey) return;
    before.current = { reef, survey };
    const element = content.current;
    const focused = document.activeElement;
    if (element === null) return;
    const back = survey === null && left.survey !== null ? left.survey : reef === null ? left.reef : null;
    if (back === null) scrollToTop(element);
    if (focused !== document.body && focused !== element) return;
    const card = back === null ? null : element.querySelector<HTMLElement>(`[data-step="${CSS.escape(back)}"]`);
    if (card === null) return element.focus({ preventScroll: true });
    card.scrollIntoView({ block: 'center' });
    card.focus({ preventScroll: true });
  }, [content, reef, survey]);
}

/** On a phone the drawer scrolls as a whole, and is where the list was left. */
function scrollToTop(element: HTMLElement): void {
  const parent = scrollParent(element);
  if (parent !== null) parent.scrollTop += element.getBoundingClientRect().top - parent.getBoundingClientRect().top;
}
