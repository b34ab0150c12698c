import { createRouter } from '@tanstack/react-router';
import { FailedPage, LostPage, OpeningNote, type AppContext } from '../features/shell';
import { routeTree } from './routeTree.gen';

/** The app's routes over what the composition root gives them. */
export function makeRouter(context: AppContext) {
  return createRouter({
    routeTree,
    context,
    defaultPendingComponent: OpeningNote,
    defaultPendingMs: 0,
    defaultErrorComponent: FailedPage,
    defaultNotFoundComponent: LostPage,
    // The rules of src/app/scroll-rules.ts hold instead.
    scrollRestoration: false,
    defaultHashScrollIntoView: false,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
