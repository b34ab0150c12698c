import { PUBLIC_LIMITS } from '../domain/limits/public';

/** Longest wait for the element that the address names, ms. */
const ELEMENT_TIMEOUT_MS = 5000;

/** Input by which a person scrolls; it ends the hold before the page has moved, and also while it grows. */
const SCROLLING_INPUT = ['wheel', 'touchmove', 'keydown', 'pointerdown'];

/**
 * Brings an element to its place and focuses it. A page that still grows or shrinks has it brought there again, until
 * something else scrolls the page. Returns the way to end that.
 */
function hold(element: Element): () => void {
  const scroller = scrollerOf(element);
  let placed = { top: 0, height: 0, room: 0 };
  const place = (): void => {
    if (!element.isConnected) return stop();
    const offset = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    scroller.scrollTo({ top: scroller.scrollTop + offset - PUBLIC_LIMITS.scrollOffsetPx, behavior: 'instant' });
    placed = { top: scroller.scrollTop, height: scroller.scrollHeight, room: scroller.clientHeight };
  };
  const scrolled = (): void => {
    const resized = scroller.scrollHeight !== placed.height || scroller.clientHeight !== placed.room;
    if (!resized && Math.abs(scroller.scrollTop - placed.top) > 1) stop();
  };
  const listening = new AbortController();
  const sizes = new ResizeObserver(place);
  const watchSizes = (): void => {
    for (const part of [scroller, ...scroller.children]) sizes.observe(part);
  };
  const parts = new MutationObserver(watchSizes);
  const stop = (): void => {
    sizes.disconnect();
    parts.disconnect();
    listening.abort();
  };
  place();
  watchSizes();
  parts.observe(scroller, { childList: true });
  const options = { passive: true, signal: listening.signal };
  scroller.addEventListener('scroll', scrolled, options);
  for (const type of SCROLLING_INPUT) scroller.addEventListener(type, stop, options);
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
  return stop;
}

/** Nearest ancestor that scrolls; the rail and the footer do not. */
function scrollerOf(element: Element): Element {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.documentElement;
}

/** Holds the element once it is there, until the page is left. */
export function holdOnceThere(id: string, left: AbortSignal): void {
  if (left.aborted) return;
  const there = document.getElementById(id);
  if (there !== null) return left.addEventListener('abort', hold(there));
  let end = (): void => {
    clearTimeout(timer);
    observer.disconnect();
  };
  const observer = new MutationObserver(() => {
    const element = document.getElementById(id);
    if (element === null) return;
    end();
    end = hold(element);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  const timer = setTimeout(() => observer.disconnect(), ELEMENT_TIMEOUT_MS);
  left.addEventListener('abort', () => end());
}
