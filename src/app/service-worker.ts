import type { AppUpdate } from '../features/shell';

/**
 * Registers the service worker and says when a new version waits. The new version takes over when the person asks for it,
 * or when every tab was closed; never by itself under a running capture.
 */
export function watchForUpdate(): AppUpdate {
  let waiting: ServiceWorker | null = null;
  const listeners = new Set<() => void>();
  const found = (worker: ServiceWorker | null) => {
    waiting = worker;
    for (const listener of listeners) listener();
  };

  async function register(container: ServiceWorkerContainer): Promise<void> {
    const registration = await container.register('/sw.js');
    // With no controller this is the first install: there is no older version to take over from.
    if (registration.waiting && container.controller) found(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const installing = registration.installing;
      installing?.addEventListener('statechange', () => {
        if (installing.state === 'installed' && container.controller) found(installing);
        if (installing.state === 'activated') found(null);
      });
    });
  }

  if (import.meta.env.PROD && 'serviceWorker' in navigator && window.isSecureContext) {
    register(navigator.serviceWorker).catch((error: unknown) => {
      // The app works without it while a server is in reach; it only cannot start offline.
      console.warn('The app could not be kept for offline starts.', error);
    });
  }

  return {
    isWaiting: () => waiting !== null,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    takeOver() {
      navigator.serviceWorker.addEventListener('controllerchange', () => window.location.reload(), { once: true });
      waiting?.postMessage({ type: 'take-over' });
    },
  };
}
