import type { ReactNode } from 'react';
import { labelSet } from '../../../domain/analysis/labelling/label-sets';
import type { Labelling, LabelStepState } from '../../../domain/analysis/labelling/labelling';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { CategoryList } from './CategoryList';
import { ExampleStrip } from './ExampleStrip';
import styles from './LabelPanel.module.css';
import { skipNote, stepHint, stepQuestion } from './step-text';

interface Props {
  readonly labelling: Labelling;
  readonly at: LabelStepState;
  /** Label of the active outline, or the answer; null for none. */
  readonly chosen: string | null;
  readonly hasActive: boolean;
  readonly isReadOnly: boolean;
  readonly onChoose: (id: string) => void;
  readonly onHelp: () => void;
  /** Notes on this work. */
  readonly children: ReactNode;
}

/** Question of the step and the options that answer it. */
export function LabelPanel({ labelling, at, chosen, hasActive, isReadOnly, onChoose, onHelp, children }: Props) {
  const { step } = at;
  const isSilent = at.isSkipped || (labelling.isBad && step.kind === 'question');
  return (
    <aside className={styles.panel} aria-label="Categories">
      <div className={styles.ask} data-kind={step.kind}>
        <h1>{stepQuestion(labelling, at, hasActive)}</h1>
        <p>{stepHint(labelling, at, hasActive)}</p>
        <Button variant="quiet" icon="info" aria-label="About the categories" onPress={onHelp} />
      </div>
      <div className={styles.notes}>{children}</div>
      {isSilent ? (
        <Note icon="check" tone="good" title="Nothing to answer here">
          {skipNote(labelling, at)}
        </Note>
      ) : (
        <CategoryList
          label={step.kind === 'labels' ? 'Category' : 'Answer'}
          options={labelSet(step.set)}
          chosen={chosen}
          isDisabled={isReadOnly}
          onChoose={onChoose}
        />
      )}
      {!isSilent && step.examples.length > 0 && <ExampleStrip sets={step.examples} />}
    </aside>
  );
}
