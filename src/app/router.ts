import { createRouter } from '@tanstack/react-router';
import { FailedPage, LostPage, OpeningNote, type AppContext } from '../features/shell';
import { routeTree } from './routeTree.gen';

export function makeRouter(context: AppContext) {
  return createRouter({
    routeTree,
    context,
    defaultPendingComponent: OpeningNote,
    defaultPendingMs: 0,
    // The router's own default holds a page that is ready back for half a second.
    defaultPendingMinMs: 0,
    defaultErrorComponent: FailedPage,
    defaultNotFoundComponent: LostPage,
    // Replaced by the rules of src/app/scroll-rules.ts.
    scrollRestoration: false,
    defaultHashScrollIntoView: false,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
