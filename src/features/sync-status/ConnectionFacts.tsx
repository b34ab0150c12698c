import type { Repositories } from '../../data/repositories';
import { Icon } from '../../ui/display/Icon';
import { useObservable } from '../shell';
import styles from './ConnectionFacts.module.css';
import { boxFact, networkFact } from './fact-text';

/** Plain facts, never an alarm: box in reach, network, offline by choice. */
export function ConnectionFacts({ edge }: { readonly edge: Repositories['edge'] }) {
  const connectivity = useObservable(edge.link.connectivity);
  const facts = [boxFact(useObservable(edge.link.state), connectivity), networkFact(connectivity)];
  return (
    <span className={styles.facts} role="status">
      {facts.map((fact) =>
        fact === null ? null : (
          <span key={fact.title} className={styles.fact}>
            <Icon name={fact.reach ? 'link' : 'offline'} />
            <span>
              {fact.title}
              <small>{fact.detail}</small>
            </span>
          </span>
        ),
      )}
    </span>
  );
}
