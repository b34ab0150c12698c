import type { AnyRouter } from '@tanstack/react-router';

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
  let page = new AbortController();
  router.subscribe('onRendered', ({ toLocation, pathChanged }) => {
    page.abort();
    page = new AbortController();
    const { signal } = page;
    const name = targetElementId(toLocation.search as Record<string, unknown>, toLocation.hash);
    // Lazy, since few addresses name an element.
    if (name !== null) void import('./hold-element').then(({ holdOnceThere }) => holdOnceThere(name, signal));
    else if (pathChanged)
      for (const place of document.querySelectorAll('#page, #page *')) if (place.scrollTop > 0) place.scrollTop = 0;
  });
}
