import type { AnyRouter } from '@tanstack/react-router';
import { PUBLIC_LIMITS } from '../domain/limits/public';

/** How long an element that the address names may take to come. */
const ELEMENT_TIMEOUT_MS = 5000;

/**
 * The element that an address leads to: its query `el` (with or without `#`), else its hash; null where it names none.
 *
 * @param search of the address, parsed
 * @param hash without `#`
 */
export function targetElementId(search: Readonly<Record<string, unknown>>, hash: string): string | null {
  const { el } = search;
  const name = typeof el === 'string' ? el.replace(/^#/, '') : hash;
  return name === '' ? null : name;
}

/**
 * 3§2: "A query el or a hash scrolls to that element with a 10 px offset; otherwise scroll to top." A page that is still
 * being read is waited for. A change of other query members alone is no new page and leaves the place as it is.
 */
export function followScrollRules(router: AnyRouter): void {
  let stopWaiting = (): void => undefined;
  router.subscribe('onRendered', ({ toLocation, pathChanged }) => {
    stopWaiting();
    const name = targetElementId(toLocation.search as Record<string, unknown>, toLocation.hash);
    if (name !== null) stopWaiting = whenPresent(name, scrollTo);
    else if (pathChanged)
      for (const place of document.querySelectorAll('#page, #page *')) if (place.scrollTop > 0) place.scrollTop = 0;
  });
}

function scrollTo(element: Element): void {
  const scroller = scrollerOf(element);
  const top =
    scroller.scrollTop +
    element.getBoundingClientRect().top -
    scroller.getBoundingClientRect().top -
    PUBLIC_LIMITS.scrollOffsetPx;
  scroller.scrollTo({ top });
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
}

/** The nearest ancestor that scrolls; the rail and the page's foot stand still. */
function scrollerOf(element: Element): Element {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.documentElement;
}

/** Calls back with the element once it stands; gives the way to stop waiting. */
function whenPresent(id: string, call: (element: Element) => void): () => void {
  const there = document.getElementById(id);
  if (there !== null) {
    call(there);
    return () => undefined;
  }
  const observer = new MutationObserver(() => {
    const element = document.getElementById(id);
    if (element === null) return;
    stop();
    call(element);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  const timer = setTimeout(() => stop(), ELEMENT_TIMEOUT_MS);
  const stop = (): void => {
    clearTimeout(timer);
    observer.disconnect();
  };
  return stop;
}
