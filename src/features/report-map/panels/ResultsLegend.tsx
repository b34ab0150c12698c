import { useReportColours } from '../drawer/use-report-colours';
import { COVER_BANDS } from '../../../domain/results/bands';
import { bandRange } from '../reef/cover-text';
import styles from './panels.module.css';

/** Legend of the Results view: colours of the cover bands (3§9), from little to much coral. */
export function ResultsLegend() {
  const { bands } = useReportColours();
  return (
    <section className={styles.legend} aria-label="Coral cover">
      <h2>Coral cover</h2>
      <ul>
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
