import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import type { KnownPerson, Repositories } from '../../../data/repositories';
import { Icon } from '../../../ui/display/Icon';
import { notify } from '../../../ui/feedback/notices';
import { useObservable } from '../../shell';
import { handOver } from './enter-person';
import styles from './PeopleTiles.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'account' | 'edge'>;
  readonly title: string;
}

/** People of the crew as tiles: one press hands the tablet over. Nothing while it knows no one else. */
export function PeopleTiles({ repositories, title }: Props) {
  const { items } = useObservable(repositories.account.people.known);
  const [isBusy, setBusy] = useState(false);
  if (items.length === 0) return null;
  const choose = async (person: KnownPerson): Promise<void> => {
    setBusy(true);
    try {
      await handOver(repositories, person);
      notify({ icon: 'check', title: `Hello, ${person.name.first}` });
    } catch (error) {
      notify({ icon: 'alert', title: 'Not handed over', text: error instanceof Error ? error.message : String(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={styles.people} role="group" aria-label={title}>
      <h3>{title}</h3>
      <ul className={styles.tiles}>
        {items.map((person) => (
          <li key={person.uid}>
            <AriaButton className={styles.tile ?? ''} isDisabled={isBusy} onPress={() => void choose(person)}>
              <Icon name="person" />
              <span>{`${person.name.first} ${person.name.last}`.trim()}</span>
            </AriaButton>
          </li>
        ))}
      </ul>
    </div>
  );
}
