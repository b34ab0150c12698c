import type { Outline } from '../../domain/analysis/labelling/outline';
import type { LabelStepState, Labelling } from '../../domain/analysis/labelling/labelling';
import { isSubmitStep } from '../../domain/analysis/labelling/labelling';
import { isLabelVersion, labelVersion } from '../../domain/analysis/labelling/label-versions';
import { placeText } from './stage/neighbours';

/** Main button of a step: what it does, or what is missing. */
export interface MainAction {
  readonly kind: 'continue' | 'submit' | 'missing';
  readonly text: string;
}

/** Main button (2§4 "Submit appears only on the last step (or when the image is flagged bad) and only once the step is complete"). */
export function mainAction(labelling: Labelling, at: LabelStepState): MainAction {
  const isLast = isSubmitStep(labelling, at.step.id);
  if (isLast && labelling.canSubmit) return { kind: 'submit', text: 'Submit' };
  if (!isLast && at.canProceed) return { kind: 'continue', text: 'Continue' };
  const missing = missingText(labelling, at);
  return { kind: 'missing', text: isLast ? `Submit: ${missing}` : `Continue: ${missing}` };
}

function missingText(labelling: Labelling, at: LabelStepState): string {
  if (at.step.kind === 'labels' && labelling.outlines.length === 0) return 'no outlines';
  if (at.step.kind === 'labels') return `${labelling.outlines.length - labelling.labels.size} to go`;
  return at.isComplete ? 'a step before is open' : 'choose an answer';
}

/** Reason that the screen has other steps than its address asks for; null if it has those. */
export function versionText(
  asked: number | undefined,
  version: number,
): { readonly title: string; readonly text: string } | null {
  if (asked === undefined || asked === version) return null;
  if (!isLabelVersion(asked))
    return {
      title: `There is no version ${asked}`,
      text: `The address names steps that do not exist. These are the steps of version ${version}.`,
    };
  return {
    title: `These are the steps of version ${version}`,
    text:
      labelVersion(asked).isExpert && !labelVersion(version).isExpert
        ? `The steps of version ${asked} are for experts, or your labels here began in version ${version}.`
        : `Your labels here began in version ${version} and stay in it, not in version ${asked}.`,
  };
}

/** Count beside a step's name: "13 of 24", "all 24"; nothing for a question. */
export function countText({ step, covered, progress }: LabelStepState, labels: Labelling['labels']): string {
  if (step.kind !== 'labels' || covered.length === 0) return '';
  return progress >= 1 ? `all ${covered.length}` : `${labels.size} of ${covered.length}`;
}

/** Name of an outline for people who cannot see it: "Outline 3 of 24, top left, 4% of the picture, boulder coral". */
export function outlineName(outline: Outline, index: number, count: number, label: string | null): string {
  return [`Outline ${index + 1} of ${count}`, placeText(outline), sizeText(outline.area), label ?? 'no label'].join(
    ', ',
  );
}

const sizeText = (area: number): string =>
  area < 0.01 ? 'less than 1% of the picture' : `${Math.round(area * 100)}% of the picture`;

/** Title and text after a submit (2§3 "analysisCompletionDialog (title, completed-count text, first-analysis text)"). */
export function completionText(count: number, regionName: string): { readonly title: string; readonly text: string } {
  return count <= 1
    ? {
        title: 'Your first analysis',
        text: `Welcome to the census of the ${regionName}. Each photograph is analysed by several people; together your answers become a measurement.`,
      }
    : {
        title: 'Analysis complete',
        text: `You have completed ${count.toLocaleString('en')} analyses. Each one helps to decide where the ${regionName} is protected first.`,
      };
}
