// Stands in the built page itself (vite.config.ts). The app is fetched when the first picture was shown: fetched before, it would
// hold the picture back on a slow tablet. START and PARTS are addresses that the build puts in, REPORT those of the report, FIRST
// that of the script that paints the report's first picture (src/app/first-reef).
(() => {
  let begun = false;
  const preload = (link) => document.head.append(Object.assign(document.createElement('link'), link));
  const setting = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      // The browser refuses storage.
      return null;
    }
  };
  // The region of the address, else the chosen one (src/features/shell/stored-state.ts).
  const firstPictureOf = (region) => {
    let chosen;
    try {
      chosen = JSON.parse(setting('reef.parts')).region;
    } catch {
      // None is chosen.
    }
    return `/cdn/map/${region ?? new URLSearchParams(location.search).get('region') ?? chosen ?? 'gbr'}/first.json`;
  };
  // The script that shows it goes on with all three (src/features/map/first-picture/read-first-picture.ts).
  const askFor = (url, isPainted) => {
    const stored = (address, read) =>
      window.caches
        ?.match(address, { cacheName: 'reef-first-pictures' })
        .then((answer) => answer && read(answer))
        .catch(() => undefined) ?? Promise.resolve();
    window.askedFirstPicture = {
      url,
      // As it was painted at the last visit (src/features/map/first-picture/stored-painting.ts).
      painting: isPainted
        ? stored(`${url}?painting`, async (answer) => ({
            facts: answer.headers.get('x-painting'),
            image: await createImageBitmap(await answer.blob()),
          }))
        : undefined,
      served: fetch(url)
        .then((answer) => (answer.status === 200 ? answer.text() : null))
        .catch(() => null),
      stored: stored(url, (answer) => answer.text()),
    };
  };
  const report = /^\/(?:(\w+)\/)?detailed-reporting(?:\/|$)/.exec(location.pathname);
  const begin = () => {
    if (begun) return;
    begun = true;
    for (const part of [...PARTS, ...(report === null ? [] : REPORT)])
      preload({ rel: part.endsWith('.css') ? 'stylesheet' : 'modulepreload', href: part });
    const script = document.createElement('script');
    script.type = 'module';
    script.src = START;
    document.head.append(script);
  };
  if (report !== null) {
    // Someone signed in has more panels around the picture: the app paints them all.
    const isSignedIn = setting('report.visitor') === 'signed-in';
    askFor(firstPictureOf(report[1]), !isSignedIn);
    if (isSignedIn) return begin();
    // A visitor waits for a reef, not for the frame around it: the app comes after it, and on a weak link beside it.
    setTimeout(begin, 3000);
    import(FIRST).then(({ showFirstReef }) => showFirstReef()).then(begin, begin);
    return;
  }
  new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length > 0) begin();
  }).observe({ type: 'paint', buffered: true });
  // A browser that tells of no paint, or a tab that opens in the background and is never drawn.
  setTimeout(begin, document.hidden ? 0 : 1000);
})();
