import { useEffect } from 'react';

/** What every title ends with (3§2: "Page titles carry a site suffix"). */
const SITE = 'Great Reef Census';

/** The document's title while this page stands: what it shows, then the site. `PageHead` gives its own; pages without one call this. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = documentTitle(title);
  }, [title]);
}

/** `Surveys · Great Reef Census`; without a title, the site alone. */
export function documentTitle(title: string): string {
  return title === '' ? SITE : `${title} · ${SITE}`;
}
