import type { EdgeRepository } from '../../data/repositories';
import { Icon } from '../../ui/Icon';
import { useLive } from '../shell';
import styles from './ConnectionFacts.module.css';
import { boxFact } from './words';

/** Whether the box is in reach, said plainly and never as an alarm. */
export function ConnectionFacts({ edge }: { readonly edge: EdgeRepository }) {
  const fact = boxFact(useLive(edge.link), useLive(edge.connectivity));
  return (
    <span className={styles.fact} role="status">
      <Icon name={fact.reach ? 'link' : 'offline'} />
      <span>
        {fact.title}
        <small>{fact.detail}</small>
      </span>
    </span>
  );
}
