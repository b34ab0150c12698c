import { linearSteps, type LinearFlow, type LinearStepId } from '../../../domain/analysis/labelling/linear-flow';
import type { ShownStep } from '../panel/StepBar';

/** Flow that decides which step the labelling screen shows, and where its button leads. */
export interface LinearHost {
  readonly state: LinearFlow;
  readonly onChoose: (label: string) => void;
  readonly onStep: (step: LinearStepId) => void;
}

const TITLES: Readonly<Record<LinearStepId, string>> = {
  analysis: 'Photograph',
  labels: 'Label the outlines',
  domination: 'Dominant category',
  corallevel: 'Coral level',
  success: 'Done',
};

/** Steps of the progress bar, and the index of the current one. */
export function shownLinearSteps(step: LinearStepId): {
  readonly steps: readonly ShownStep[];
  readonly current: number;
} {
  const steps = linearSteps(step);
  return {
    current: steps.findIndex(({ isCurrent }) => isCurrent),
    steps: steps.map(({ id, isComplete }) => ({
      id,
      title: TITLES[id],
      progress: isComplete || (id === 'success' && step === 'success') ? 1 : 0,
      count: '',
    })),
  };
}
