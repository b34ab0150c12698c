import { clientsClaim } from 'workbox-core';
import {
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  precacheAndRoute,
  type PrecacheEntry,
} from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { SERVER_PATH_PATTERN } from '../src/protocol/server-paths';

declare const self: ServiceWorkerGlobalScope & { readonly __WB_MANIFEST: (PrecacheEntry | string)[] };

// Only the app's own files. User data is in IndexedDB, which this worker never opens.
precacheAndRoute(self.__WB_MANIFEST);
cleanupOutdatedCaches();
// Server paths are never answered with the app's page.
registerRoute(new NavigationRoute(createHandlerBoundToURL('/index.html'), { denylist: [SERVER_PATH_PATTERN] }));

// The first worker takes over the page that installed it, so that the app works offline from its first visit.
clientsClaim();

// A new version waits until the person asks for it or every tab is closed: code is never replaced during a capture.
self.addEventListener('message', (event) => {
  if ((event.data as { type?: unknown } | null)?.type === 'take-over') void self.skipWaiting();
});
