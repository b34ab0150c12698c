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
    'A part of the app could not be fetched. What is saved on this tablet is still there. Come into reach of the box and load this page again.';
});
