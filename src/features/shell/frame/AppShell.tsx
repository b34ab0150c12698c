import { Link, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, type ReactNode } from 'react';
import type { AppContext } from '../app-context';
import styles from './AppShell.module.css';
import { NavIcon } from './FirstPaint';
import { Isobaths, Logo } from './Logo';
import { NotesErrorBoundary } from '../notes/NotesErrorBoundary';
import { isFullScreen, isWithin, NAV_ITEMS, pathOf } from './nav-items';

// Lazy, since they need the tablet's data and controls, which the first paint lacks.
const ShellNotes = lazy(() => import('../notes/ShellNotes'));
const GlobalOverlays = lazy(() => import('./GlobalOverlays'));

/** Rail and page: the rail is at the left, on a phone a bar at the bottom. */
export function AppShell({
  update,
  open,
  children,
}: Pick<AppContext, 'update' | 'open'> & { readonly children: ReactNode }) {
  const here = useLocation({ select: ({ pathname }) => pathname });
  const page = useRef<HTMLDivElement>(null);
  useFocusOnNewPage(here, page);
  const isFull = isFullScreen(here);
  return (
    <div className={isFull ? 'shell is-full' : 'shell'}>
      <a
        className={styles.skip}
        href="#page"
        onClick={(event) => {
          event.preventDefault();
          page.current?.focus();
        }}
      >
        Skip to the page
      </a>
      {!isFull && (
        <nav className="rail" aria-label="Main" data-foot>
          <Isobaths />
          <Logo />
          {NAV_ITEMS.map(({ to, icon, word }) => (
            <Link
              key={to}
              to={to}
              className={isWithin(here, pathOf(to)) ? 'place is-active' : 'place'}
              activeProps={{}}
              aria-current={isWithin(here, pathOf(to)) ? 'page' : undefined}
            >
              <NavIcon name={icon} />
              {word}
            </Link>
          ))}
        </nav>
      )}
      <div className="page" id="page" ref={page} tabIndex={-1}>
        <NotesErrorBoundary>
          <Suspense fallback={null}>
            <ShellNotes open={open} update={update} />
          </Suspense>
        </NotesErrorBoundary>
        {children}
      </div>
      <NotesErrorBoundary>
        <Suspense fallback={null}>
          <GlobalOverlays />
        </Suspense>
      </NotesErrorBoundary>
    </div>
  );
}

/** Moves the focus to each new page for keyboard and screen reader, except the first one. */
function useFocusOnNewPage(here: string, page: { readonly current: HTMLElement | null }): void {
  const before = useRef(here);
  useEffect(() => {
    if (before.current === here) return;
    before.current = here;
    page.current?.focus({ preventScroll: true });
  }, [here, page]);
}
