/** Presses and focus of a list, which must not be lost when another takes its place. */

/** Longest time from the release of a finger to its click, ms. */
const CLICK_WITHIN_MS = 350;
/** Keys that click what has the focus. */
const CLICK_KEYS: ReadonlySet<string> = new Set([' ', 'Enter']);

/**
 * Watches presses of pointers and of the keys that click: an element that is removed during one gets no click.
 *
 * @param onChange called with true when a press begins, and with false once the click of the last one was handled or none
 *   comes
 * @returns ends it; nothing counts as pressed then
 */
export function watchPress(onChange: (isPressed: boolean) => void): () => void {
  const ending = new AbortController();
  /** Ids of pointers, and keys. */
  const pressed = new Set<number | string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = (what: number | string): void => {
    clearTimeout(timer);
    pressed.add(what);
    onChange(true);
  };
  const endUnlessPressed = (): void => {
    if (pressed.size > 0) return;
    clearTimeout(timer);
    onChange(false);
  };
  const endAll = (): void => {
    pressed.clear();
    endUnlessPressed();
  };
  const release = (what: number | string): void => {
    if (pressed.delete(what) && pressed.size === 0) timer = setTimeout(endUnlessPressed, CLICK_WITHIN_MS);
  };
  const listen = <Name extends keyof WindowEventMap>(
    name: Name,
    listener: (event: WindowEventMap[Name]) => void,
    capture = true,
  ): void => window.addEventListener(name, listener, { capture, signal: ending.signal });
  listen('pointerdown', ({ pointerId }) => begin(pointerId));
  listen('pointerup', ({ pointerId }) => release(pointerId));
  // Released where this page did not hear of it.
  listen('pointermove', ({ pointerId, buttons }) => {
    if (buttons === 0) release(pointerId);
  });
  listen('keydown', ({ key, metaKey }) => {
    // With Command held, macOS reports no release.
    if (CLICK_KEYS.has(key) && !metaKey) begin(key);
  });
  listen('keyup', ({ key }) => release(key));
  // Not captured: the click itself is handled first.
  const clicked = ({ detail }: MouseEvent): void => {
    // A click by key comes before the release of Enter.
    if (detail === 0) for (const key of CLICK_KEYS) pressed.delete(key);
    endUnlessPressed();
  };
  listen('click', clicked, false);
  const cancelled = ({ pointerId }: PointerEvent): void => {
    pressed.delete(pointerId);
    endUnlessPressed();
  };
  listen('pointercancel', cancelled, false);
  // These take the release for themselves.
  for (const name of ['contextmenu', 'dragend', 'blur'] as const) listen(name, endAll, false);
  return () => {
    ending.abort();
    endAll();
  };
}

/**
 * Notes the focus in the list or around it.
 * @returns to be called once the list is replaced: gives the focus to the card (`data-step`) of the same reef, or, if there
 *   is none, to the drawer's content (`data-drawer-content`)
 */
export function noteFocus(): () => void {
  const focused = document.activeElement;
  const isInDrawer = focused !== null && focused.closest('aside') !== null;
  const step = focused?.getAttribute('data-step') ?? null;
  return () => {
    if (!isInDrawer || document.activeElement !== document.body) return;
    const card = step === null ? null : document.querySelector<HTMLElement>(`aside [data-step="${CSS.escape(step)}"]`);
    const next = card ?? document.querySelector<HTMLElement>('aside [data-drawer-content]');
    next?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: 'nearest' });
  };
}
