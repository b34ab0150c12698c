import type { Repositories } from '../data/repositories';
import { APP_VERSION } from '../features/shell';
import { appLog } from '../platform/app-log';

/** The error log's address (1§7: "An error-logging function URL is configured"), set when the app is built; by default the cloud's own. */
const ERROR_LOG_URL = import.meta.env['VITE_ERROR_LOG_URL'] as string | undefined;

/** What the box's console calls a tablet that nobody named. */
const TABLET_NAME = 'Tablet';

/** Screens hear of photographs that come in twice a second at most: drawing each by itself took half of the time of adding them. */
const PROJECTING_REST_MS = 500;

let opened: Promise<Repositories> | undefined;

/**
 * Opens the tablet's data, once for the page: store, read model, sender, puller, and the workers that read photographs and check signatures. Its
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
  const [{ openTablet }, { browserHost }, { browserEnvironment }, { browserPhotographs }, { browserSignatures }] =
    await Promise.all([
      import('../data/tablet'),
      import('../platform/browser-host'),
      import('../platform/error-report'),
      import('../workers/photograph/photograph-reader'),
      import('../workers/signatures/signatures'),
    ]);
  const photographs = browserPhotographs();
  const host = browserHost(appLog);
  const tablet = await openTablet({
    // Bytes are read back and hashed where photographs are read, and signatures of many at once checked: not on the screen's thread.
    host: {
      ...host,
      verifySignature: browserSignatures(),
      sha256: (of) => (of instanceof Blob ? photographs.hash(of) : host.sha256(of)),
    },
    photographs,
    name: TABLET_NAME,
    appVersion: APP_VERSION,
    servedBy: window.location.origin,
    projectingRestMs: PROJECTING_REST_MS,
    reports: { surroundings: browserEnvironment, ...(ERROR_LOG_URL === undefined ? {} : { address: ERROR_LOG_URL }) },
  });
  // After the page: nothing of it is needed to show one.
  import('../features/custody').then(
    ({ startSendingEffects }) => startSendingEffects(tablet.repositories),
    (error: unknown) =>
      appLog.note('warn', 'Sounds and the screen’s light could not be loaded.', { error: String(error) }),
  );
  return tablet.repositories;
}
