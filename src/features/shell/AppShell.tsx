import { Link, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, type ReactNode } from 'react';
import { Icon } from '../../ui/Icon';
import type { IconName } from '../../ui/icon-paths';
import type { AppContext } from './app-context';
import styles from './AppShell.module.css';
import { Mark } from './Mark';
import { NotesBoundary } from './NotesBoundary';

/** The places that exist; further ones join this list. */
const PLACES = [
  { to: '/surveys', icon: 'survey', word: 'Surveys' },
  { to: '/photographs', icon: 'photos', word: 'Photographs' },
  { to: '/box', icon: 'box', word: 'Box' },
  { to: '/you', icon: 'person', word: 'You' },
] as const satisfies readonly { readonly to: string; readonly icon: IconName; readonly word: string }[];

// They need the tablet's data and controls, and nothing of them is there at the first paint.
const ShellNotes = lazy(() => import('./ShellNotes'));
const OverEveryScreen = lazy(() => import('./OverEveryScreen'));

/** Rail and page: the rail stands at the left, on a phone as a bar below. */
export function AppShell({ update, open, children }: Pick<AppContext, 'update' | 'open'> & { readonly children: ReactNode }) {
  const here = useLocation({ select: ({ pathname }) => pathname });
  const page = useRef<HTMLDivElement>(null);
  useFocusOnNewPage(here, page);
  return (
    <div className={styles.shell}>
      <a
        className={styles.skip}
        href="#page"
        onClick={(event) => {
          event.preventDefault();
          page.current?.focus();
        }}
      >
        To the page
      </a>
      <nav className={styles.rail} aria-label="Main">
        <Isobaths />
        <Mark className={styles.mark ?? ''} />
        {PLACES.map(({ to, icon, word }) => (
          <Link key={to} to={to} className={`${styles.place ?? ''}${isIn(here, to) ? ' is-active' : ''}`} activeProps={{}} aria-current={isIn(here, to) ? 'page' : undefined}>
            <Icon name={icon} />
            {word}
          </Link>
        ))}
      </nav>
      <div className={styles.page} id="page" ref={page} tabIndex={-1}>
        <NotesBoundary>
          <Suspense fallback={null}>
            <ShellNotes open={open} update={update} />
          </Suspense>
        </NotesBoundary>
        {children}
      </div>
      <Suspense fallback={null}>
        <OverEveryScreen />
      </Suspense>
    </div>
  );
}

/** Whether a path belongs to a place of the rail: one survey belongs to Surveys. */
function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

/** A new page is where the keyboard and the screen reader go on; the first one is left as the browser has it. */
function useFocusOnNewPage(here: string, page: { readonly current: HTMLElement | null }): void {
  const before = useRef(here);
  useEffect(() => {
    if (before.current === here) return;
    before.current = here;
    page.current?.focus({ preventScroll: true });
  }, [here, page]);
}

/** Depth lines behind the rail, the only ornament. */
function Isobaths() {
  const lines = [0, 16, 32, 48, 64, 80, 96];
  return (
    <svg className={styles.isobaths} viewBox="0 0 88 820" preserveAspectRatio="none" aria-hidden="true">
      {lines.map((x) => (
        <path key={x} d={`M${x - 20} 820C${x * 0.8 + 20} ${640 - x} ${x * 0.95 - 30} ${470 + x / 2} ${x * 0.72 + 30} ${300 + x * 0.85}S${x * 1.1 - 10} ${120 - x / 3} ${x * 0.72 + 46}-10`} />
      ))}
    </svg>
  );
}
