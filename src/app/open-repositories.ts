import type { Repositories } from '../data/repositories';
import { APP_VERSION } from '../features/shell';
import { appLog } from '../platform/app-log';
import { afterFirstView } from '../platform/first-view';

/** Name on the box's console of a tablet without a name. */
const TABLET_NAME = 'Tablet';

/**
 * Minimum interval between updates of the read model. Drawing each incoming photograph took half of the time of adding
 * them.
 */
const PROJECTING_REST_MS = 500;

let opened: Promise<Repositories> | undefined;

/**
 * Opens the tablet's data once per page. Its libraries load here, after the first view is painted. A failure stays
 * until the page is reloaded: a new promise at each rendering would be opened again without end, and never be shown.
 *
 * @throws UnsupportedEngineError in a browser that cannot store or prove photographs
 */
export function openRepositories(): Promise<Repositories> {
  return (opened ??= open());
}

async function open(): Promise<Repositories> {
  await afterFirstView();
  const [
    { openTablet },
    { browserHost },
    { browserEnvironment },
    { browserPhotographs },
    { browserSignatures },
    { segmentationWorker },
  ] = await Promise.all([
    import('../data/tablet'),
    import('../platform/browser-host'),
    import('../platform/error-report'),
    import('../workers/photograph/photograph-reader'),
    import('../workers/signatures/signatures'),
    import('../workers/segmentation/segmentation'),
    import('./require-engine').then(({ requireEngine }) => requireEngine()),
  ]);
  const photographs = browserPhotographs();
  const host = browserHost(appLog);
  const tablet = await openTablet({
    // Hashing of bytes and checking of signatures run in workers, off the main thread.
    host: {
      ...host,
      verifySignature: browserSignatures(),
      sha256: (of) => (of instanceof Blob ? photographs.hash(of) : host.sha256(of)),
    },
    photographs,
    segmenter: segmentationWorker(),
    name: TABLET_NAME,
    appVersion: APP_VERSION,
    servedBy: window.location.origin,
    projectingRestMs: PROJECTING_REST_MS,
    reports: { surroundings: browserEnvironment },
  });
  // Loads after the page, which does not need it.
  import('../features/custody').then(
    ({ startSendingEffects }) => startSendingEffects(tablet.repositories),
    (error: unknown) =>
      appLog.note('warn', 'Sounds and the screen wake lock could not be loaded.', { error: String(error) }),
  );
  return tablet.repositories;
}
