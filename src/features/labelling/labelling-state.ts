import type { LabelEdit, LabelLogs } from '../../domain/analysis/labelling/label-marks';
import { applyLabelEdit, labellingOf, type Labelling } from '../../domain/analysis/labelling/labelling';
import type { LabelVersion } from '../../domain/analysis/labelling/label-versions';
import type { Outline } from '../../domain/analysis/labelling/outline';

/** Work on one photograph: the logs of the steps, and what they make of the outlines. */
export interface LabelledWork {
  readonly logs: LabelLogs;
  readonly labelling: Labelling;
}

/** State of stored logs. */
export const labelledWork = (version: LabelVersion, predicted: readonly Outline[], logs: LabelLogs): LabelledWork => ({
  logs,
  labelling: labellingOf(version, predicted, logs),
});

/** State after an edit. Outlines that are the same as before are the same object, so that no line is laid out again. */
export function editedWork(before: LabelledWork, predicted: readonly Outline[], edit: LabelEdit): LabelledWork {
  const logs = applyLabelEdit(before.logs, edit);
  if (logs === before.logs) return before;
  const labelling = labellingOf(before.labelling.version, predicted, logs);
  const isSame =
    labelling.outlines.length === before.labelling.outlines.length &&
    labelling.outlines.every(({ id }, at) => before.labelling.outlines[at]?.id === id);
  return { logs, labelling: isSame ? { ...labelling, outlines: before.labelling.outlines } : labelling };
}

/** Outline whose label the latest mark of the first step set; null if that mark set none. */
export function latestOutline({ labels }: LabelLogs): string | null {
  const last = labels?.marks.at(-1);
  return last?.kind === 'label' ? last.outline : null;
}
