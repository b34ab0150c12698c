/** Nearest element around another one that scrolls up and down; null for the page. */
export function scrollParent(element: HTMLElement): HTMLElement | null {
  for (let at = element.parentElement; at !== null; at = at.parentElement)
    if (getComputedStyle(at).overflowY === 'auto') return at;
  return null;
}
