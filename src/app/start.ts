import '../ui/tokens/base.css';
import '../features/shell/first-paint.css';

// In the built page this runs after the first paint (src/app/after-first-paint.js).
async function begin(): Promise<void> {
  const { start } = await import('./main');
  await start();
}

begin().catch((error: unknown) => {
  const status = document.querySelector('.opening [role="status"]');
  if (status === null) throw error;
  status.textContent =
    'Part of the app could not be loaded. Everything saved on this tablet is safe. Come within reach of the box and reload this page.';
});
