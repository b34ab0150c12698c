import type { EdgeRepository } from '../../data/repositories';
import { Icon } from '../../ui/display/Icon';
import { useObservable } from '../shell';
import styles from './ConnectionFacts.module.css';
import { boxFact, networkFact } from './fact-text';

/** Facts kept apart, said plainly and never as an alarm: does the box answer, is there a network, did a person choose offline. */
export function ConnectionFacts({ edge }: { readonly edge: EdgeRepository }) {
  const connectivity = useObservable(edge.connectivity);
  const facts = [boxFact(useObservable(edge.link), connectivity), networkFact(connectivity)];
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
