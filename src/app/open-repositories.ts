import type { Repositories } from '../data/repositories';

/** What the box's console calls a tablet that nobody named. */
const TABLET_NAME = 'Tablet';
const APP_VERSION = '0.1.0';

let opened: Promise<Repositories> | undefined;

/**
 * Opens the tablet's data, once for the page: store, read model, sender, puller, and the worker that reads photographs. Its
 * libraries are loaded here, after the first paint. A failure is not remembered, so that loading the page's route again tries anew.
 */
export function openRepositories(): Promise<Repositories> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function open(): Promise<Repositories> {
  const [{ openTablet }, { browserHost }, { browserPhotographs }] = await Promise.all([
    import('../data/tablet'),
    import('../platform/browser-host'),
    import('../workers/photograph-reader'),
  ]);
  const tablet = await openTablet({ host: browserHost(), photographs: browserPhotographs(), name: TABLET_NAME, appVersion: APP_VERSION });
  return tablet.repositories;
}
