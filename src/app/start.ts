import '../ui/base.css';
import '../features/shell/first-paint.css';

// The page that the build wrote is shown first. The app and the fonts come after it: fetched before, they
// would hold it back on a slow tablet.
const shown = new Promise<void>((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve, 0));
  // A tab that opens in the background is never drawn.
  if (document.hidden) resolve();
});

async function begin(): Promise<void> {
  await shown;
  const { start } = await import('./main');
  await start();
}

void begin();
