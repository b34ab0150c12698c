import { ObservableValue } from '../base/observable';
import type { AppUpdate, UpdateState } from '../features/shell';
import { busyReasons, onBusyChange, runIfIdle } from '../platform/busy';
import { afterFirstView } from '../platform/first-view';
import type { Log } from '../platform/host';

/** Interval of update checks on an open page. */
const CHECK_EVERY_MS = 30 * 60_000;
/** Longest time that a new version may take to take over. */
const TAKE_OVER_MS = 20_000;

/**
 * Registers the service worker and reports a waiting version. It takes over on request while no tab is busy, or once
 * every tab is closed, never during a capture. All tabs then reload together, so that no old page runs on new code.
 */
export function watchForUpdate(log: Log): AppUpdate {
  const state = new ObservableValue<UpdateState>('none');
  let waiting: ServiceWorker | null = null;
  let registration: ServiceWorkerRegistration | undefined;
  const setState = (next: UpdateState, worker: ServiceWorker | null): void => {
    waiting = worker;
    state.set(next);
  };
  const checkForUpdate = (): void => {
    registration
      ?.update()
      .catch((error: unknown) =>
        log.note('info', 'The update check failed; the current version stays in use.', { error: String(error) }),
      );
  };

  async function register(container: ServiceWorkerContainer): Promise<void> {
    // Without a controller this is the first install: it replaces no older version.
    let controlled = container.controller !== null;
    container.addEventListener('controllerchange', () => {
      if (controlled) whenIdle(() => window.location.reload());
      controlled = true;
    });
    // Installing downloads the whole app, which would share the link with what the visitor waits for.
    await afterFirstView();
    const found = await container.register('/sw.js');
    registration = found;
    if (found.waiting !== null && container.controller !== null) setState('waiting', found.waiting);
    found.addEventListener('updatefound', () => {
      const installing = found.installing;
      installing?.addEventListener('statechange', () => {
        if (installing.state === 'installed' && container.controller !== null) setState('waiting', installing);
        if (installing.state === 'redundant' && waiting === installing) setState('none', null);
      });
    });
    setInterval(checkForUpdate, CHECK_EVERY_MS);
    window.addEventListener('online', checkForUpdate);
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) checkForUpdate();
    });
  }

  if (import.meta.env.PROD && 'serviceWorker' in navigator && window.isSecureContext) {
    register(navigator.serviceWorker).catch((error: unknown) => {
      // The app works without it while a server is in reach, but cannot start offline.
      log.note('warn', 'The app could not be cached for offline use.', { error: String(error) });
    });
  }

  return {
    get: state.get,
    subscribe: state.subscribe,
    check: checkForUpdate,
    async takeOver() {
      const worker = waiting;
      if (worker === null) return true;
      return runIfIdle(async () => {
        setState('starting', worker);
        worker.postMessage({ type: 'take-over' });
        // Blocks new work until this page is gone. The page survives only if the new version failed to start.
        await new Promise((resolve) => setTimeout(resolve, TAKE_OVER_MS));
        setState('waiting', worker);
      });
    },
  };
}

function whenIdle(call: () => void): void {
  if (busyReasons().length === 0) return call();
  const stop = onBusyChange(() => {
    if (busyReasons().length > 0) return;
    stop();
    call();
  });
}
