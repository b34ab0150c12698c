import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import type { Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Segmented } from '../../../ui/controls/Segmented';
import {
  chooseTheme,
  chosenTheme,
  onThemeChange,
  PageFooter,
  PageHeader,
  useObservable,
  type Theme,
} from '../../shell';
import { openSecondFactor } from '../overlay-state';
import { LogCard } from './LogCard';
import { PersonCard } from './PersonCard';
import { PersonForm } from '../sign-in/PersonForm';
import { ShoreCard } from './ShoreCard';
import { SignInButton } from '../sign-in/SignInButton';
import { StorageCard } from './StorageCard';
import { TabletNameCard } from './TabletNameCard';
import styles from './YouPage.module.css';

// Lazy: read once.
const GuideCard = lazy(() => import('./GuideCard'));

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'auto', label: 'Same as tablet' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'deck', label: 'Deck' },
];

interface Props {
  readonly repositories: Pick<Repositories, 'account' | 'edge' | 'tablet' | 'census' | 'custody'>;
}

/** Page of the current user, display settings, storage and log. */
export function YouPage({ repositories }: Props) {
  const person = useObservable(repositories.account.people.current);
  const shore = useObservable(repositories.account.signIn.facts);
  const access = useObservable(repositories.account.admin.access);
  const theme = useSyncExternalStore(onThemeChange, chosenTheme);
  return (
    <>
      <PageHeader
        title={person === null ? 'Who is using this tablet?' : `${person.name.first} ${person.name.last}`}
        sub={
          person === null
            ? 'Your name goes on each survey and photograph. No box or network needed.'
            : 'Using this tablet now.'
        }
      />
      <main className={styles.page}>
        <div className={styles.columns}>
          {person === null ? (
            <section className={styles.card} aria-label="Who is using this tablet?">
              <PersonForm repositories={repositories} />
              <p className={styles.help}>With an account, your work stays with you on every tablet.</p>
              <SignInButton repositories={repositories} />
            </section>
          ) : (
            <PersonCard key={person.uid} person={person} repositories={repositories} />
          )}
          {/* Without a person the card above has the one other way: to sign in. */}
          {(person !== null || shore.account !== null) && (
            <ShoreCard account={repositories.account} email={person?.email ?? ''} />
          )}
          {access.status === 'second-factor' && (
            <section className={styles.card} aria-labelledby="admin-title">
              <h2 id="admin-title">Administration</h2>
              <p>
                {access.isMissing
                  ? 'You have a role in running the census. It counts once you have set up a second step.'
                  : 'You have a role in running the census. Confirm that it is you before you act for it here.'}
              </p>
              <Button onPress={() => openSecondFactor(access.isMissing)}>
                {access.isMissing ? 'Set up the second step' : 'Confirm now'}
              </Button>
            </section>
          )}
          {access.status === 'admin' && (
            <section className={styles.card} aria-labelledby="admin-title">
              <h2 id="admin-title">Administration</h2>
              <p>You are an admin of the census.</p>
              <Link to="/admin">Accounts, roles and who changed them</Link>
            </section>
          )}
          <StorageCard storage={repositories.tablet.storage} space={repositories.tablet.space} />
          <section className={styles.card} id="screen" aria-labelledby="screen-title" tabIndex={-1}>
            <h2 id="screen-title">Screen</h2>
            <div className={styles.wide}>
              <Segmented
                label="Theme"
                options={THEMES}
                value={theme}
                onChange={chooseTheme}
                help="Deck is for sun and wet hands: larger targets, thicker lines, more contrast. Key: T."
              />
            </div>
          </section>
          <Suspense fallback={null}>
            <GuideCard />
          </Suspense>
          <section className={styles.card} aria-labelledby="numbers-title">
            <h2 id="numbers-title">Results of the census</h2>
            <p>
              <Link to="/methodology">What the numbers mean</Link>
            </p>
          </section>
          <TabletNameCard name={repositories.tablet.name} />
          <LogCard log={repositories.tablet.log} />
        </div>
        <PageFooter repositories={repositories} />
      </main>
    </>
  );
}
