import { useEffect } from 'react';

/** Suffix of every title (3§2: "Page titles carry a site suffix"). */
const SITE = 'Great Reef Census';

/**
 * Sets the document's title: the page's, then the site's. `PageHeader` calls it; pages without one call it themselves.
 */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = documentTitle(title);
  }, [title]);
}

function documentTitle(title: string): string {
  return title === '' ? SITE : `${title} · ${SITE}`;
}
