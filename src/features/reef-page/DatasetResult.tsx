import { useId, useState } from 'react';
import type { FeatureTable } from '../../domain/results/feature-table';
import type { ReefResult } from '../../domain/results/reef-result';
import { CLASS_LABELS } from '../../domain/results/bands';
import { Button } from '../../ui/controls/Button';
import { basisText, CoverFacts, CoverPie, resultText, versionText } from '../report-map';
import { saveReefCsv, saveReefPng } from './export/save-reef';
import { SHARES } from './reef-address';
import styles from './ReefPage.module.css';

interface Props {
  readonly reef: string;
  readonly dataset: string;
  readonly result: ReefResult;
  readonly table: FeatureTable;
  readonly asOf: string | null;
  /** Open share; undefined for none. */
  readonly share: (typeof SHARES)[number] | undefined;
  readonly onShare: (share: (typeof SHARES)[number]) => void;
}

/** Result of a reef in one dataset, with what it rests on (3§2 "Coral Cover Analysis"). */
export function DatasetResult({ reef, dataset, result, table, asOf, share, onShare }: Props) {
  const sharesId = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const savePng = (): void => {
    setProblem(null);
    saveReefPng({ reef, dataset, result, asOf }).catch((error: unknown) => {
      console.warn('The card of a reef could not be saved as PNG:', error);
      setProblem('This browser could not make the picture. Print the page or save the CSV.');
    });
  };
  return (
    <section className={styles.card} aria-label={`${dataset}: coral cover analysis`}>
      <h2>
        {dataset} <small>{result.year}</small>
      </h2>
      {result.covers !== null && <CoverPie covers={result.covers} />}
      <CoverFacts result={result} />
      <p>{resultText(result)}.</p>
      <p className={styles.sub}>
        {basisText(result)}. {versionText(result)}.{asOf === null ? '' : ` ${asOf}.`}
      </p>
      <div className={styles.actions} data-screen-only>
        <Button onPress={() => print()}>Print</Button>
        <Button onPress={savePng}>Save as PNG</Button>
        <Button onPress={() => saveReefCsv([result], table, `${reef} ${dataset}`)}>Save as CSV</Button>
      </div>
      {problem !== null && <p role="alert">{problem}</p>}
      {result.covers !== null && (
        <div data-screen-only>
          <p id={sharesId}>See the photographs behind</p>
          <div className={styles.actions} role="group" aria-labelledby={sharesId}>
            {SHARES.map((name) => (
              <Button
                key={name}
                variant={name === share ? 'light' : 'quiet'}
                aria-pressed={name === share}
                onPress={() => onShare(name)}
              >
                {shareText(name)}
              </Button>
            ))}
          </div>
        </div>
      )}
    </section>
  );
}

/** Name of a share of the pie. */
export function shareText(share: (typeof SHARES)[number]): string {
  return share === 'total' ? 'All coral' : CLASS_LABELS[share];
}
