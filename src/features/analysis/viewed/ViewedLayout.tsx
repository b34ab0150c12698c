import type { ReactNode } from 'react';
import type { ViewedAnalysis } from '../../../data/repositories';
import type { ClassStyle } from '../../../domain/analysis/palette';
import { Note } from '../../../ui/feedback/Note';
import { formatDateTime } from '../lists/format-date-time';
import { PaletteSwatch } from '../stage/Swatch';
import { authorText, contentNote, shareText } from './viewed-text';
import styles from './viewed.module.css';

/** Facts of a viewed analysis; those that are null have no row. */
export interface ViewedFacts extends Pick<ViewedAnalysis, 'content' | 'version' | 'coverage' | 'author' | 'isOwn'> {
  readonly id: string;
  readonly updatedAt: string | null;
  readonly isVerified: boolean | null;
}

/** Row of the legend: a class, and how much of the picture it covers. */
export interface LegendRow {
  readonly key: string;
  readonly label: string;
  readonly style: ClassStyle;
  /** Fraction of the picture; null if unknown. */
  readonly share: number | null;
}

interface Props {
  readonly analysis: ViewedFacts;
  readonly stage: ReactNode;
  readonly legend: readonly LegendRow[];
  readonly answers?: readonly { readonly question: string; readonly answer: string }[];
  /** Notes on the picture. */
  readonly children?: ReactNode;
}

/** Photograph with the marks of an analysis, and beside it who made it, its classes and its answers. */
export function ViewedLayout({ analysis, stage, legend, answers = [], children }: Props) {
  const { content, version, updatedAt, isVerified, coverage } = analysis;
  const note = contentNote(content, version);
  const facts: readonly (readonly [string, string])[] = [
    ['By', authorText(analysis)],
    ...(updatedAt === null ? [] : [['Date', formatDateTime(updatedAt)] as const]),
    ['Version', version === null ? 'Unknown' : String(version)],
    ...(isVerified === null ? [] : [['Verified', isVerified ? 'Yes' : 'No'] as const]),
    ...(coverage === null ? [] : [['Covered', shareText(coverage)] as const]),
  ];
  return (
    <main className={styles.page}>
      {stage}
      <div className={styles.side} tabIndex={0} role="region" aria-label="About this analysis">
        <Note icon="lock" title="View only">
          Analyses of others are shown as they were saved.
        </Note>
        {note !== null && (
          <Note tone="look" icon="alert" title={note.title}>
            {note.text}
          </Note>
        )}
        {children}
        <dl className={styles.facts}>
          {facts
            .filter(([, value]) => value !== '')
            .map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
        </dl>
        {legend.length > 0 && (
          <section aria-labelledby="viewed-classes">
            <h2 id="viewed-classes">What was found</h2>
            <ul className={styles.legend}>
              {legend.map(({ key, label, style, share }) => (
                <li key={key}>
                  <span className={styles.swatch}>
                    <PaletteSwatch {...style} />
                  </span>
                  <span>{label}</span>
                  {share !== null && <b>{shareText(share)}</b>}
                </li>
              ))}
            </ul>
          </section>
        )}
        {answers.length > 0 && (
          <section aria-labelledby="viewed-answers">
            <h2 id="viewed-answers">Answers</h2>
            <dl className={styles.answers}>
              {answers.map(({ question, answer }) => (
                <div key={question}>
                  <dt>{question}</dt>
                  <dd>{answer}</dd>
                </div>
              ))}
            </dl>
          </section>
        )}
      </div>
    </main>
  );
}
