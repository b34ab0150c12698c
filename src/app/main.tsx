import '@fontsource/poppins/latin-500.css';
import '@fontsource/poppins/latin-600.css';
import '@fontsource-variable/work-sans/wght.css';
import '../ui/base.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startTheme, type AppContext } from '../features/shell';
import { openRepositories } from './open-repositories';
import { checkReadiness } from './readiness';
import { makeRouter } from './router';
import { watchForUpdate } from './service-worker';

async function start(): Promise<void> {
  const place = document.getElementById('app');
  if (place === null) throw new Error('index.html has no #app');
  startTheme();
  const context: AppContext = {
    open: openRepositories,
    update: watchForUpdate(),
    readiness: await checkReadiness(),
    servedBy: window.location.origin,
  };
  createRoot(place).render(
    <StrictMode>
      <RouterProvider router={makeRouter(context)} />
    </StrictMode>,
  );
}

void start();
