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

begin().catch((error: unknown) => {
  // Nothing of the app is here: the first picture says so by itself.
  const status = document.querySelector('.opening [role="status"]');
  if (status === null) throw error;
  status.textContent = 'A part of the app could not be fetched. What is saved on this tablet is still there. Come into reach of the box and load this page again.';
});
