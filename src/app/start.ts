import '../ui/base.css';
import '../features/shell/first-paint.css';

/** How long the app waits at most to hear that its first picture was shown. */
const LONGEST_WAIT_MS = 1000;

// The page that the build wrote is shown first. The app and the fonts come after it: fetched before, they
// would hold it back on a slow tablet.
const shown = new Promise<void>((resolve) => {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length === 0) return;
    observer.disconnect();
    resolve();
  });
  observer.observe({ type: 'paint', buffered: true });
  // A browser that tells of no paint, or a tab that opens in the background and is never drawn.
  setTimeout(resolve, document.hidden ? 0 : LONGEST_WAIT_MS);
});

async function begin(): Promise<void> {
  await shown;
  const { start } = await import('./main');
  await start();
}

begin().catch((error: unknown) => {
  // Nothing of the app is here: the first picture says so by itself.
  const status = document.querySelector('.opening [role="status"]');
  if (status === null) throw error;
  status.textContent = 'A part of the app could not be fetched. What is saved on this tablet is still there. Come into reach of the box and load this page again.';
});
