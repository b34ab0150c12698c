import { Link, useLocation } from '@tanstack/react-router';
import { useSyncExternalStore, type ReactNode } from 'react';
import { Button } from '../../ui/Button';
import { Icon } from '../../ui/Icon';
import type { IconName } from '../../ui/icon-paths';
import { Note } from '../../ui/Note';
import type { AppUpdate } from './app-context';
import styles from './AppShell.module.css';
import { Mark } from './Mark';

/** The places that exist; further ones join this list. */
const PLACES: readonly { readonly to: '/surveys' | '/box' | '/you'; readonly icon: IconName; readonly word: string }[] = [
  { to: '/surveys', icon: 'survey', word: 'Surveys' },
  { to: '/box', icon: 'box', word: 'Box' },
  { to: '/you', icon: 'person', word: 'You' },
];

/** Rail and page: the rail stands at the left, on a phone as a bar below. */
export function AppShell({ update, children }: { readonly update: AppUpdate; readonly children: ReactNode }) {
  const waiting = useSyncExternalStore(update.subscribe, update.isWaiting);
  const here = useLocation({ select: ({ pathname }) => pathname });
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#page">
        To the page
      </a>
      <nav className={styles.rail} aria-label="Main">
        <Isobaths />
        <Mark className={styles.mark ?? ''} />
        {PLACES.map(({ to, icon, word }) => (
          <Link key={to} to={to} className={styles.place ?? ''} activeOptions={{ exact: true }} aria-current={isIn(here, to) ? 'page' : undefined}>
            <Icon name={icon} />
            {word}
          </Link>
        ))}
      </nav>
      <div className={styles.page} id="page">
        {waiting && (
          <div className={styles.update}>
            <Note tone="plain" icon="info" title="A new version is ready" role="status" action={<Button onPress={() => update.takeOver()}>Start it now</Button>}>
              It starts by itself when the app was closed everywhere. What is saved stays saved.
            </Note>
          </div>
        )}
        {children}
      </div>
    </div>
  );
}

/** Whether a path belongs to a place of the rail: one survey belongs to Surveys. */
function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
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
