// Sets the chosen theme before the first paint; src/features/shell/theme.ts keeps it right afterwards.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('theme');
  } catch (_refused) {
    // Storage is refused: the theme follows the system.
  }
  const known = chosen === 'light' || chosen === 'dark' || chosen === 'deck';
  document.documentElement.dataset.theme = known ? chosen : matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
})();
