import type { ReefResult } from '../../../domain/results/reef-result';
import styles from './CoverFacts.module.css';
import { bandText, dominantText, lastSurveyedText, NOT_AVAILABLE } from './cover-text';

/** Facts of "Coral Cover Analysis" (3§2): cover, dominant coral, last surveyed. */
export function CoverFacts({ result }: { readonly result: ReefResult | null }) {
  return (
    <dl className={styles.facts}>
      <div>
        <dt>Coral Cover</dt>
        <dd>{bandText(result)}</dd>
      </div>
      <div>
        <dt>Dominant Coral</dt>
        <dd>{result === null ? NOT_AVAILABLE : dominantText(result)}</dd>
      </div>
      <div>
        <dt>Last Surveyed</dt>
        <dd>{result === null ? NOT_AVAILABLE : lastSurveyedText(result)}</dd>
      </div>
    </dl>
  );
}
