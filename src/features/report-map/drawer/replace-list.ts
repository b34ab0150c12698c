/** Presses and focus of a list, which must not be lost when another takes its place. */

/** Longest time from the release of a finger to its click, ms. */
const CLICK_WITHIN_MS = 350;

/**
 * Watches presses of pointers and keys: an element that is removed during one gets no click.
 *
 * @param onChange called with true when a press begins, and with false once its click was handled or none comes
 * @returns ends it; nothing counts as pressed then
 */
export function watchPress(onChange: (isPressed: boolean) => void): () => void {
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const change = (isPressed: boolean): void => {
    clearTimeout(timer);
    onChange(isPressed);
  };
  const releaseSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(change, CLICK_WITHIN_MS, false);
  };
  const listen = (names: readonly string[], listener: () => void, capture: boolean): void => {
    for (const name of names) window.addEventListener(name, listener, { capture, signal: ending.signal });
  };
  listen(['pointerdown', 'keydown'], () => change(true), true);
  listen(['pointerup', 'keyup'], releaseSoon, true);
  // Not captured: the click itself is handled first. A context menu takes the release for itself.
  listen(['click', 'contextmenu', 'pointercancel', 'blur'], () => change(false), false);
  return () => {
    ending.abort();
    change(false);
  };
}

/**
 * Notes the card (`data-step`) that has the focus.
 * @returns gives the focus to the card of the same reef once the old one is gone, or without one to the drawer
 */
export function noteFocus(): () => void {
  const step = document.activeElement?.getAttribute('data-step') ?? null;
  return () => {
    if (step === null || document.activeElement !== document.body) return;
    const card = document.querySelector<HTMLElement>(`aside [data-step="${CSS.escape(step)}"]`);
    const next = card ?? document.querySelector<HTMLElement>('aside [tabindex="-1"]');
    next?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: 'nearest' });
  };
}
