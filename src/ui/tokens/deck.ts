import { useSyncExternalStore } from 'react';

/** Whether the deck theme is on: sun, wet hands, gloves. */
export function isDeck(): boolean {
  return document.documentElement.dataset['theme'] === 'deck';
}

/** `isDeck`, and again when the theme changes. */
export function useDeck(): boolean {
  return useSyncExternalStore(watchTheme, isDeck);
}

/** Calls when `data-theme` changes; gives the way to stop. */
export function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
