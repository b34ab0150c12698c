import '@fontsource/poppins/latin-500.css';
import '@fontsource/poppins/latin-600.css';
import '@fontsource-variable/work-sans/wght.css';
import '../ui/tokens/fonts.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useEffect } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { untilEarlyPageIsFree } from '../features/map/first-picture/early-reading';
import { startTheme, type AppContext } from '../features/shell';
import { appLog, noteError, watchForErrors } from '../platform/app-log';
import { holdHeavyWork } from '../platform/first-view';
import { openRepositories } from './open-repositories';
import { checkReadiness } from './check-readiness';
import { makeRouter } from './router';
import { followScrollRules } from './scroll-rules';
import { watchForUpdate } from './service-worker';

/** Renders the app in place of its first paint. */
export async function start(): Promise<void> {
  const place = document.getElementById('app');
  if (place === null) throw new Error('index.html has no #app');
  watchForErrors(appLog);
  startTheme();
  const release = holdHeavyWork();
  const context: AppContext = {
    open: openRepositories,
    update: watchForUpdate(appLog),
    readiness: checkReadiness(),
    servedBy: window.location.origin,
  };
  const router = makeRouter(context);
  followScrollRules(router);
  // Loads the first page before it replaces the first paint, so that nothing flickers.
  await router.load();
  performance.mark('app-loaded');
  await untilEarlyPageIsFree();
  // Errors thrown while rendering are logged like all others; the page explains them in plain words.
  const note = (error: unknown): void => noteError(appLog, error);
  const root = createRoot(place, { onUncaughtError: note, onCaughtError: note });
  // In this task: a press on the early page could begin before the next one, and would be lost.
  flushSync(() =>
    root.render(
      <StrictMode>
        <RouterProvider router={router} />
        <Rendered onRendered={release} />
      </StrictMode>,
    ),
  );
}

/** Calls back once the page is rendered and its effects ran. */
function Rendered({ onRendered }: { readonly onRendered: () => void }): null {
  useEffect(onRendered, [onRendered]);
  return null;
}
