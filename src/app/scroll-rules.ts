import type { AnyRouter } from '@tanstack/react-router';
import { PUBLIC_LIMITS } from '../domain/limits/public';

/** Longest wait for the element that the address names, ms. */
const ELEMENT_TIMEOUT_MS = 5000;

/**
 * Id of the element that an address names: its query `el` (with or without `#`), else its hash; null for none.
 * @param search of the address, parsed
 * @param hash without `#`
 */
function targetElementId(search: Readonly<Record<string, unknown>>, hash: string): string | null {
  const { el } = search;
  const name = typeof el === 'string' ? el.replace(/^#/, '') : hash;
  return name === '' ? null : name;
}

/**
 * 3§2: "A query el or a hash scrolls to that element with a 10 px offset; otherwise scroll to top." Waits while the
 * page loads. A change of other query members alone is not a new page and does not scroll.
 */
export function followScrollRules(router: AnyRouter): void {
  let release = (): void => undefined;
  router.subscribe('onRendered', ({ toLocation, pathChanged }) => {
    release();
    const name = targetElementId(toLocation.search as Record<string, unknown>, toLocation.hash);
    if (name !== null) release = holdOnceThere(name);
    else if (pathChanged)
      for (const place of document.querySelectorAll('#page, #page *')) if (place.scrollTop > 0) place.scrollTop = 0;
  });
}

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

/** Holds the element once it is there; returns the way to end that. */
function holdOnceThere(id: string): () => void {
  const there = document.getElementById(id);
  if (there !== null) return hold(there);
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
  return () => end();
}
