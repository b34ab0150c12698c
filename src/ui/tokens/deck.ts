import { useSyncExternalStore } from 'react';

/** Theme for sun, wet hands, gloves. */
export function isDeck(): boolean {
  return document.documentElement.dataset['theme'] === 'deck';
}

export function useDeck(): boolean {
  return useSyncExternalStore(watchTheme, isDeck);
}

/** Returns a function that stops watching. */
export function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
