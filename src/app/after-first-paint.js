// Stands in the built page itself (vite.config.ts). The app is fetched when the first picture was shown: fetched before, it would
// hold the picture back on a slow tablet. START and PARTS are addresses that the build puts in, REPORT those of the report.
(() => {
  let begun = false;
  const preload = (link) => document.head.append(Object.assign(document.createElement('link'), link));
  // The region of the address, else the chosen one (src/features/shell/persisted-state.ts).
  const firstPictureOf = (region) => {
    let chosen;
    try {
      chosen = JSON.parse(localStorage.getItem('reef.parts')).region;
    } catch {
      // None is chosen, or the browser refuses storage.
    }
    return `/cdn/map/${region ?? new URLSearchParams(location.search).get('region') ?? chosen ?? 'gbr'}/first.json`;
  };
  const report = /^\/(?:(\w+)\/)?detailed-reporting(?:\/|$)/.exec(location.pathname);
  const begin = () => {
    if (begun) return;
    begun = true;
    if (report !== null) preload({ rel: 'preload', as: 'fetch', crossOrigin: '', href: firstPictureOf(report[1]) });
    for (const part of [...PARTS, ...(report === null ? [] : REPORT)])
      preload({ rel: part.endsWith('.css') ? 'stylesheet' : 'modulepreload', href: part });
    const script = document.createElement('script');
    script.type = 'module';
    script.src = START;
    document.head.append(script);
  };
  // Someone who opens the report waits for its reefs, not for the frame around them.
  if (report !== null) return begin();
  new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length > 0) begin();
  }).observe({ type: 'paint', buffered: true });
  // A browser that tells of no paint, or a tab that opens in the background and is never drawn.
  setTimeout(begin, document.hidden ? 0 : 1000);
})();
