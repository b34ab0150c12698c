import { applyMarkCommand, EMPTY_LOG } from '../mark-log';
import type { MarkLog } from '../mark-log';
import type { LabelEdit, LabelLogs, LabelMark, LabelStepId } from './label-marks';
import { BAD_IMAGE_LABEL, labelOptionOf, OTHER_CORAL_LABEL } from './label-sets';
import type { LabelStep, LabelVersion } from './label-versions';
import type { Outline } from './outline';
import { bySize, drawnOutline } from './outline-geometry';

/** State of one step. */
export interface LabelStepState {
  readonly step: LabelStep;
  /** Outlines that the step is about, largest first; none for a question on the whole picture. */
  readonly covered: readonly Outline[];
  /** Labelled fraction of the covered outlines, or 1 once a question is answered or the image is flagged. */
  readonly progress: number;
  /** True if the question covers nothing, so that a note replaces it (2§4 "if none, a skip note is shown"). */
  readonly isSkipped: boolean;
  readonly isComplete: boolean;
  /** True if Continue may be pressed: once complete, and for experts always (2§4). */
  readonly canProceed: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

/** State of a labelling: a pure function of version, outlines and logs. */
export interface Labelling {
  readonly version: LabelVersion;
  /** Outlines with those drawn and without those erased, largest first. */
  readonly outlines: readonly Outline[];
  /** Label id by outline id; of a bad image the same for all. */
  readonly labels: ReadonlyMap<string, string>;
  /** Answers of the questions that apply; none of a bad image. */
  readonly answers: ReadonlyMap<LabelStepId, string>;
  /** Label of the whole-image fill; null without one. */
  readonly zap: string | null;
  readonly isBad: boolean;
  /** States in the order of the version. */
  readonly steps: readonly LabelStepState[];
  /** Labelled fraction of the outlines, 0 to 1; 1 for a bad image (2§4). */
  readonly progress: number;
  /** True once every step is complete or the image is flagged; for experts always. */
  readonly canSubmit: boolean;
}

/** State after all edits of the logs. Marks that do not apply, as of another version, change nothing. */
export function labellingOf(version: LabelVersion, predicted: readonly Outline[], logs: LabelLogs): Labelling {
  const labelled = replayLabels(version, predicted, logs.labels ?? EMPTY_LOG);
  const { outlines, labels, isBad } = labelled;
  const progress = isBad ? 1 : outlines.length === 0 ? 0 : labels.size / outlines.length;
  const answers = new Map<LabelStepId, string>();
  const steps = version.steps.map((step): LabelStepState => {
    const log = logs[step.id] ?? EMPTY_LOG;
    const covered = coveredOutlines(step, labelled);
    const undo = { canUndo: log.marks.length > 0, canRedo: log.undone.length > 0 };
    if (step.kind === 'labels') {
      const isComplete = progress === 1;
      return {
        step,
        covered,
        progress,
        isSkipped: false,
        isComplete,
        canProceed: isComplete || version.isExpert,
        ...undo,
      };
    }
    const isSkipped = step.scope !== 'picture' && covered.length === 0;
    const answer = isBad || isSkipped ? undefined : answerOf(step, log);
    if (answer !== undefined) answers.set(step.id, answer);
    const isComplete = isBad || isSkipped || answer !== undefined;
    return {
      step,
      covered,
      // Until every outline has a label, one may still come that the question is about.
      progress: isComplete && !(isSkipped && progress < 1) ? 1 : 0,
      isSkipped: isSkipped && !isBad,
      isComplete,
      canProceed: isComplete || version.isExpert,
      ...undo,
    };
  });
  return {
    version,
    outlines,
    labels,
    answers,
    zap: labelled.zap,
    isBad,
    steps,
    progress,
    canSubmit: version.isExpert || steps.every(({ isComplete }) => isComplete),
  };
}

/** State of a step; undefined if the version does not have it. */
export const stepState = ({ steps }: Labelling, id: LabelStepId): LabelStepState | undefined =>
  steps.find(({ step }) => step.id === id);

/** True if the step has Submit instead of Continue (2§4: "only on the last step, or when the image is flagged bad"). */
export const isSubmitStep = ({ steps, isBad }: Labelling, id: LabelStepId): boolean =>
  isBad || steps.at(-1)?.step.id === id;

/** Logs after an edit; the same object if there is nothing to undo or redo. */
export function applyLabelEdit(logs: LabelLogs, { step, ...edit }: LabelEdit): LabelLogs {
  const before: MarkLog<LabelMark> = logs[step] ?? EMPTY_LOG;
  const after = applyMarkCommand(before, edit);
  return after === before ? logs : { ...logs, [step]: after };
}

/**
 * True if the edit changes the labelling: the rule of every button, key and stored edit. Giving the label or answer that
 * is there already is not an edit, so that each Undo undoes something.
 */
export function allows(state: Labelling, edit: LabelEdit): boolean {
  const at = stepState(state, edit.step);
  if (at === undefined) return false;
  if (edit.kind === 'undo' || edit.kind === 'clear') return at.canUndo;
  if (edit.kind === 'redo') return at.canRedo;
  const { mark } = edit;
  if (at.step.kind === 'question')
    return (
      mark.kind === 'answer' &&
      !at.isSkipped &&
      !state.isBad &&
      state.answers.get(edit.step) !== mark.label &&
      isLabel(at.step, mark.label)
    );
  return allowsMark(state, at.step, mark);
}

function allowsMark({ version, outlines, labels, zap, isBad }: Labelling, step: LabelStep, mark: LabelMark): boolean {
  const has = (id: string): boolean => outlines.some((outline) => outline.id === id);
  switch (mark.kind) {
    case 'label':
      return (
        has(mark.outline) &&
        mark.label !== BAD_IMAGE_LABEL &&
        labels.get(mark.outline) !== mark.label &&
        isLabel(step, mark.label)
      );
    case 'bad':
      return !isBad && isLabel(step, mark.label) && mark.label === BAD_IMAGE_LABEL;
    case 'draw':
      return version.isExpert && !isBad && !has(mark.outline) && drawnOutline(mark.outline, mark.points) !== null;
    case 'erase':
      return version.isExpert && !isBad && has(mark.outline) && !labels.has(mark.outline);
    case 'zap':
      return version.isExpert && !isBad && zap === null && mark.label !== BAD_IMAGE_LABEL && isLabel(step, mark.label);
    case 'answer':
      return false;
  }
}

const isLabel = ({ set }: LabelStep, label: string): boolean => labelOptionOf(set, label) !== undefined;

interface Labelled {
  readonly outlines: readonly Outline[];
  readonly labels: ReadonlyMap<string, string>;
  readonly zap: string | null;
  readonly isBad: boolean;
}

/**
 * Labels after the marks of the first step. A label after the bad-image mark takes the mark back: what was there
 * before applies again.
 */
function replayLabels(version: LabelVersion, predicted: readonly Outline[], { marks }: MarkLog<LabelMark>): Labelled {
  const step = version.steps[0];
  const outlines = new Map(predicted.map((outline) => [outline.id, outline]));
  const labels = new Map<string, string>();
  let zap: string | null = null;
  let isBad = false;
  for (const mark of marks) {
    switch (mark.kind) {
      case 'label':
        if (!outlines.has(mark.outline) || mark.label === BAD_IMAGE_LABEL || !isLabel(step, mark.label)) break;
        labels.set(mark.outline, mark.label);
        isBad = false;
        break;
      case 'bad':
        isBad = mark.label === BAD_IMAGE_LABEL && isLabel(step, mark.label);
        break;
      case 'draw': {
        const drawn = drawnOutline(mark.outline, mark.points);
        if (version.isExpert && drawn !== null && !outlines.has(drawn.id)) outlines.set(drawn.id, drawn);
        break;
      }
      case 'erase':
        if (version.isExpert && !labels.has(mark.outline)) outlines.delete(mark.outline);
        break;
      case 'zap':
        if (version.isExpert && mark.label !== BAD_IMAGE_LABEL && isLabel(step, mark.label)) zap ??= mark.label;
        break;
      case 'answer':
    }
  }
  const sorted = [...outlines.values()].sort(bySize);
  return isBad
    ? { outlines: sorted, labels: new Map(sorted.map(({ id }) => [id, BAD_IMAGE_LABEL])), zap: null, isBad }
    : { outlines: sorted, labels, zap, isBad };
}

function answerOf(step: LabelStep, { marks }: MarkLog<LabelMark>): string | undefined {
  const last = marks.findLast((mark) => mark.kind === 'answer' && isLabel(step, mark.label));
  return last?.kind === 'answer' ? last.label : undefined;
}

/** 2§4: predictions whose outlines the soft-coral question leaves out. */
const NO_CORAL_PREDICTED: readonly string[] = ['uncategorised', 'sand', 'water'];

function coveredOutlines({ scope }: LabelStep, { outlines, labels, isBad }: Labelled): readonly Outline[] {
  switch (scope) {
    case 'all':
      return outlines;
    case 'otherCoral':
      return isBad ? [] : outlines.filter(({ id }) => labels.get(id) === OTHER_CORAL_LABEL);
    case 'notUncategorised':
      return isBad
        ? []
        : outlines.filter(
            ({ predicted }) => predicted === null || !NO_CORAL_PREDICTED.includes(predicted.label.toLowerCase()),
          );
    case 'picture':
      return [];
  }
}

/** Outlines that a record holds: all, or of an expert those with a label (2§4 "with unlabelled outlines removed"). */
export const savedOutlines = ({ version, outlines, labels }: Labelling): readonly Outline[] =>
  version.isExpert ? outlines.filter(({ id }) => labels.has(id)) : outlines;

/** Labels of an outline by step (2§3 "labels per step"): its own, and the answers of the questions that cover it. */
export function outlineLabels(state: Labelling, outline: string): ReadonlyMap<LabelStepId, string> {
  const found = new Map<LabelStepId, string>();
  for (const { step, covered } of state.steps) {
    const label = step.kind === 'labels' ? state.labels.get(outline) : state.answers.get(step.id);
    if (label !== undefined && covered.some(({ id }) => id === outline)) found.set(step.id, label);
  }
  return found;
}
