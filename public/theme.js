// What has to stand before the app is loaded. The chosen theme, for the first paint; src/features/shell/theme.ts keeps it right
// afterwards. And the word to zod that it must not try whether it may compile its checks with `new Function`: the content
// security policy forbids that, and the browser would note each try as a breach.
(() => {
  globalThis.__zod_globalConfig = { jitless: true };
  let chosen = null;
  try {
    chosen = localStorage.getItem('theme');
  } catch (_refused) {
    // Storage is refused: the theme follows the system.
  }
  const known = chosen === 'light' || chosen === 'dark' || chosen === 'deck';
  document.documentElement.dataset.theme = known
    ? chosen
    : matchMedia('(prefers-color-scheme: dark)').matches
      ? 'dark'
      : 'light';
})();
