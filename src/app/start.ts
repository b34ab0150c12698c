import '../ui/tokens/base.css';
import '../features/shell/first-paint.css';

// In the built page this runs after the first paint (src/app/after-first-paint.js).
async function begin(): Promise<void> {
  const { start } = await import('./main');
  await start();
}

begin().catch((error: unknown) => {
  const status = document.querySelector('.opening [role="status"]') ?? addNote();
  if (status === null) throw error;
  status.textContent =
    'Part of the app could not be loaded. Everything saved on this tablet is safe. Come within reach of the box and reload this page.';
});

/** Place for a note above a report's first picture, which has taken that of the opening page. */
function addNote(): Element | null {
  const page = document.querySelector('.page');
  if (page === null) return null;
  const note = Object.assign(document.createElement('div'), { className: 'opening' });
  const status = Object.assign(document.createElement('p'), { role: 'status' });
  note.append(status);
  page.prepend(note);
  return status;
}
