import { lazy, Suspense, useState } from 'react';
import type { Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { useObservable } from '../../shell';
import { Avatar } from './Avatar';
import { ProfileForm } from './ProfileForm';
import { SignOut } from '../account/SignOut';
import { LoadingText } from '../LoadingText';
import styles from '../auth.module.css';

// Loaded lazily: few people change their account.
const AccountSettings = lazy(() => import('../account/AccountSettings'));

interface Props {
  readonly repositories: Pick<Repositories, 'account' | 'edge' | 'custody'>;
  /**
   * True if a box answers, where places cannot be searched (2§2: "On an edge platform the location field is hidden").
   */
  readonly isAboard: boolean;
  /** Section open at first: the form if the name is missing. */
  readonly initialSection: 'profile' | 'account' | null;
  readonly onDone: () => void;
}

/** Signed-in person with the editable profile (2§2). */
export function ProfilePanel({ repositories, isAboard, initialSection, onDone }: Props) {
  const {
    account,
    account: { people, profile },
  } = repositories;
  const { account: signedIn } = useObservable(account.signIn.facts);
  const person = useObservable(people.current);
  const read = useObservable(profile.mine);
  const [open, setOpen] = useState(initialSection);
  const toggle = (to: 'profile' | 'account'): void => setOpen(open === to ? null : to);
  const isEditing = open === 'profile';
  if (person === null) return <LoadingText />;
  const mine = read.items.find(({ uid }) => uid === person.uid);
  const details = [person.email, mine?.org?.name ?? mine?.org?.handle ?? '', mine?.loc?.value ?? ''].filter(
    (word) => word !== '',
  );
  return (
    <>
      <div className={styles.who}>
        <Avatar profile={profile} name={person.name} country={mine?.loc?.country} />
        <div>
          <p className={styles.name}>{`${person.name.first} ${person.name.last}`.trim()}</p>
          {details.map((word) => (
            <p key={word} className={styles.quiet}>
              {word}
            </p>
          ))}
        </div>
      </div>
      {isEditing &&
        (read.status !== 'stale' || mine !== undefined ? (
          <ProfileForm
            key={`${person.uid} ${mine === undefined ? 'new' : 'known'}`}
            person={person}
            mine={mine}
            repositories={repositories}
            isAboard={isAboard}
            onSaved={() => setOpen((now) => (now === 'profile' ? null : now))}
          />
        ) : (
          <LoadingText />
        ))}
      <div className={styles.main}>
        <Button aria-expanded={isEditing} onPress={() => toggle('profile')}>
          {isEditing ? 'Hide' : 'Edit'}
        </Button>
        {signedIn !== null && !isAboard && (
          <Button aria-expanded={open === 'account'} onPress={() => toggle('account')}>
            {open === 'account' ? 'Hide the account' : 'Account'}
          </Button>
        )}
        <SignOut repositories={repositories} onDone={onDone} />
      </div>
      {open === 'account' && signedIn !== null && !isAboard && (
        <Suspense fallback={<LoadingText />}>
          <AccountSettings key={signedIn.uid} account={account} />
        </Suspense>
      )}
      {signedIn !== null && isAboard && (
        <p className={styles.quiet}>You can change your email address, password and sign-in services ashore.</p>
      )}
    </>
  );
}
