import { useState } from 'react';
import type { Repositories } from '../../data/repositories';
import { Button } from '../../ui/Button';
import { useLive } from '../shell';
import { Face } from './Face';
import { ProfileForm } from './ProfileForm';
import { SignOut } from './SignOut';
import { Waiting } from './Waiting';
import styles from './auth.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'account' | 'people' | 'edge' | 'profile' | 'sending'>;
  /** A box answers: places cannot be searched (2§2: "On an edge platform the location field is hidden"). */
  readonly isAboard: boolean;
  /** The name is missing: the form stands open. */
  readonly startsOpen: boolean;
  readonly onDone: () => void;
}

/** Who is signed in, and their profile to edit (2§2). */
export function ProfilePanel({ repositories, isAboard, startsOpen, onDone }: Props) {
  const { people, profile } = repositories;
  const person = useLive(people.current);
  const read = useLive(profile.mine);
  const [isEditing, setEditing] = useState(startsOpen);
  if (person === null) return <Waiting />;
  const mine = read.items.find(({ uid }) => uid === person.uid);
  const details = [person.email, mine?.org?.name ?? mine?.org?.handle ?? '', mine?.loc?.value ?? ''].filter((word) => word !== '');
  return (
    <>
      <div className={styles.who}>
        <Face profile={profile} name={person.name} country={mine?.loc?.country} />
        <div>
          <p className={styles.name}>{`${person.name.first} ${person.name.last}`.trim()}</p>
          {details.map((word) => (
            <p key={word} className={styles.quiet}>
              {word}
            </p>
          ))}
        </div>
      </div>
      {isEditing && (read.status !== 'stale' || mine !== undefined ? <ProfileForm key={`${person.uid} ${mine === undefined ? 'new' : 'known'}`} person={person} mine={mine} repositories={repositories} isAboard={isAboard} onSaved={() => setEditing(false)} /> : <Waiting />)}
      <div className={styles.main}>
        <Button aria-expanded={isEditing} onPress={() => setEditing(!isEditing)}>
          {isEditing ? 'Hide' : 'Edit'}
        </Button>
        <SignOut repositories={repositories} onDone={onDone} />
      </div>
    </>
  );
}
