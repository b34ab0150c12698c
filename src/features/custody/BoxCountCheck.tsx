import { useEffect, useState } from 'react';
import type { Repositories, SurveyCustody } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Icon } from '../../ui/display/Icon';
import { useObservable } from '../shell';
import { compareCounts } from './compare-counts';
import styles from './BoxCountCheck.module.css';

/**
 * Delay before a difference is shown, ms: while photographs are sent, one of the two counts is always a moment behind.
 */
const SETTLED_MS = 5000;

/** Compares the box's count with this tablet's. */
export function BoxCountCheck({
  edge,
  surveys,
}: {
  readonly edge: Repositories['edge'];
  readonly surveys: readonly SurveyCustody[];
}) {
  const link = useObservable(edge.link.state);
  const read = useObservable(edge.answers.surveys);
  const agreement = compareCounts(surveys, read.items);
  const settled = useSettled(JSON.stringify(agreement));
  if (link.status === 'unpaired') return null;
  const asked = link.status === 'connected' && read.status === 'ready';
  if (!asked) {
    return (
      <p className={styles.line} role="status">
        <Icon name="box" />
        <span>
          {link.status === 'connected'
            ? 'Comparing counts with the box.'
            : 'The box is not in reach, so it cannot be asked for its own count. This page shows what its receipts prove.'}
        </span>
      </p>
    );
  }
  if (agreement.status === 'same') {
    return (
      <p className={styles.line} role="status">
        <Icon name="check" />
        <span>
          {link.edge.name} reports the same: it has {agreement.count.toLocaleString('en')} of these.
        </span>
      </p>
    );
  }
  if (!settled) {
    return (
      <p className={styles.line} role="status">
        <Icon name="clock" />
        <span>Comparing counts with {link.edge.name}.</span>
      </p>
    );
  }
  const fewer = agreement.surveys.some(({ tablet, box }) => box < tablet);
  return (
    <div className={`${styles.line} ${fewer ? styles.look : ''}`} role="status">
      <Icon name="alert" />
      <div className={styles.words}>
        <b>{link.edge.name} reports a different count</b>
        <ul>
          {agreement.surveys.slice(0, 5).map(({ surveyId, name, tablet, box }) => (
            <li key={surveyId}>
              {name}: the box has {box.toLocaleString('en')}, this tablet has receipts for {tablet.toLocaleString('en')}
              .
            </li>
          ))}
        </ul>
        {fewer
          ? 'Do not wipe these cards until they are checked again.'
          : 'The box has photographs from other tablets that this one does not know yet, or a removal is still on its way. Nothing is lost.'}
      </div>
      <Button onPress={() => void edge.link.check()}>Compare again</Button>
    </div>
  );
}

/** True once a value has been stable for a while. */
function useSettled(value: string): boolean {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled === value;
}
