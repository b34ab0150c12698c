import { useId, useState } from 'react';
import { COVER_BANDS } from '../../../domain/results/bands';
import { Icon } from '../../../ui/display/Icon';
import { useReportColours } from '../drawer/use-report-colours';
import { bandRange } from '../reef/cover-text';
import styles from './panels.module.css';

/** True once a person on a phone wants the words: stored for the visit, as the legend leaves while a reef is open. */
let hasWordsThisVisit = false;

/**
 * Legend of the Results view: colours of the cover bands (3§9), from little to much coral. On a phone it is a strip of
 * colours until a button shows their words; screen readers have them in any case.
 */
export function ResultsLegend({ isPhone }: { readonly isPhone: boolean }) {
  const { bands } = useReportColours();
  const [hasWords, setHasWords] = useState(hasWordsThisVisit);
  const listId = useId();
  const toggle = (): void => {
    hasWordsThisVisit = !hasWords;
    setHasWords(!hasWords);
  };
  return (
    <section className={styles.legend} aria-label="Coral cover" data-words={hasWords}>
      <h2>
        {isPhone ? (
          <button type="button" aria-expanded={hasWords} aria-controls={listId} onClick={toggle}>
            Coral cover
            <Icon name="down" />
          </button>
        ) : (
          'Coral cover'
        )}
      </h2>
      <ul id={listId}>
        {COVER_BANDS.map((band, n) => (
          <li key={band.from}>
            <i style={{ background: bands[n] }} />
            <span>
              {band.label} <small>{bandRange(band)}</small>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
