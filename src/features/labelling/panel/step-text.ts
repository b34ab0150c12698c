import type { LabelStepId } from '../../../domain/analysis/labelling/label-marks';
import type { Labelling, LabelStepState } from '../../../domain/analysis/labelling/labelling';

/** Heading of a step: its question, or that the labels are done. */
export function stepQuestion(labelling: Labelling, { step, isComplete }: LabelStepState, hasActive: boolean): string {
  if (step.kind === 'question') return step.question;
  if (labelling.isBad) return 'Marked as a bad image';
  if (labelling.outlines.length === 0) return 'No outlines in this photograph';
  return hasActive || !isComplete ? step.question : 'All outlines have a label';
}

const QUESTION_HINTS: { readonly [Step in LabelStepId]?: string } = {
  dominant: 'The one that fills the largest part.',
  coralLevel: 'Count live coral only, on the whole picture.',
  bleached: 'Bright white, with its shape still whole.',
};

/** Line below the heading. */
export function stepHint(
  labelling: Labelling,
  { step, covered, isComplete }: LabelStepState,
  hasActive: boolean,
): string {
  if (step.kind === 'question') {
    const own = QUESTION_HINTS[step.id];
    if (own !== undefined) return own;
    return covered.length === 1 ? 'It is about the bright outline.' : `It is about ${covered.length} bright outlines.`;
  }
  if (labelling.isBad) return 'Submit, or undo to label its outlines.';
  if (labelling.outlines.length === 0)
    return labelling.version.isExpert
      ? 'Draw outlines, fill the picture, or mark it as a bad image.'
      : 'Skip it, or mark it as a bad image.';
  return hasActive || !isComplete ? 'Tap the picture to choose another one.' : 'Tap one to change its label.';
}

/** Note in place of a question that has nothing to ask (2§4 "if none, a skip note is shown"). */
export function skipNote(labelling: Labelling, { step }: LabelStepState): string {
  if (labelling.isBad) return 'The image is marked as bad, so this step is complete.';
  return step.scope === 'otherCoral'
    ? 'No outline is labelled other coral, so this step is complete.'
    : 'No outline of this picture can hold soft coral, so this step is complete.';
}
