// Stands in the built page itself (vite.config.ts). The app is fetched when the first picture was shown: fetched before, it would
// hold the picture back on a slow tablet. START and PARTS are addresses that the build puts in.
(() => {
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    for (const part of PARTS) {
      const link = document.createElement('link');
      link.rel = 'modulepreload';
      link.href = part;
      document.head.append(link);
    }
    const script = document.createElement('script');
    script.type = 'module';
    script.src = START;
    document.head.append(script);
  };
  new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length > 0) begin();
  }).observe({ type: 'paint', buffered: true });
  // A browser that tells of no paint, or a tab that opens in the background and is never drawn.
  setTimeout(begin, document.hidden ? 0 : 1000);
})();
