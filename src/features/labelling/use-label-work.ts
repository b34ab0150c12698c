import { useCallback, useRef, useState } from 'react';
import type { LabellingWork } from '../../data/repositories';
import type { LabelEdit, LabelMark, LabelStepId } from '../../domain/analysis/labelling/label-marks';
import { allows } from '../../domain/analysis/labelling/labelling';
import type { LabelVersion } from '../../domain/analysis/labelling/label-versions';
import type { JournalQueue } from '../analysis';
import { editedWork, labelledWork, type LabelledWork } from './labelling-state';

/** Mark without its time. */
type NewMark = LabelMark extends infer Mark ? (Mark extends LabelMark ? Omit<Mark, 'since'> : never) : never;

export interface LabelWorkState extends LabelledWork {
  /** Applies an edit and journals it. Returns the work after it; null if the edit is not allowed. */
  readonly apply: (edit: LabelEdit) => LabelledWork | null;
  readonly add: (step: LabelStepId, mark: NewMark) => LabelledWork | null;
  /** Work as of now, also between two renders. */
  readonly latest: () => LabelledWork;
}

/** Labels of one photograph in memory; each edit also goes to the journal. */
export function useLabelWork(
  version: LabelVersion,
  { outlines: { outlines }, logs }: Pick<LabellingWork, 'outlines' | 'logs'>,
  queue: JournalQueue<LabelEdit> | null,
  isReadOnly: boolean,
): LabelWorkState {
  const [work, setWork] = useState(() => labelledWork(version, outlines, logs));
  const latest = useRef(work);
  const since = useRef(0);
  const apply = useCallback(
    (edit: LabelEdit): LabelledWork | null => {
      if (isReadOnly || queue === null || !allows(latest.current.labelling, edit)) return null;
      latest.current = editedWork(latest.current, outlines, edit);
      setWork(latest.current);
      queue.apply(edit);
      return latest.current;
    },
    [isReadOnly, queue, outlines],
  );
  const add = useCallback(
    (step: LabelStepId, mark: NewMark): LabelledWork | null => {
      // Times grow from mark to mark, also if the clock was set back.
      since.current = Math.max(since.current + 1, Date.now());
      return apply({ step, kind: 'add', mark: { ...mark, since: since.current } });
    },
    [apply],
  );
  return { ...work, apply, add, latest: useCallback(() => latest.current, []) };
}
