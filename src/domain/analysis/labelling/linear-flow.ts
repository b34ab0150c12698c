import type { LabelStepId } from './label-marks';
import { BAD_IMAGE_LABEL } from './label-sets';
import type { Labelling } from './labelling';
import { stepState } from './labelling';

/** Steps of the older linear flow in order, by route name (2§4 "Older linear flow"). */
export const LINEAR_STEPS = ['analysis', 'labels', 'domination', 'corallevel', 'success'] as const;
export type LinearStepId = (typeof LINEAR_STEPS)[number];

/** Version of the labelling whose steps the flow shows: labels, dominant option, coral level. */
export const LINEAR_VERSION = 2.1;

/** Steps of the labelling by step of the flow; the first and the last one label nothing. */
const LABEL_STEP: { readonly [Step in LinearStepId]: LabelStepId | null } = {
  analysis: null,
  labels: 'labels',
  domination: 'dominant',
  corallevel: 'coralLevel',
  success: null,
};

/** Step of the labelling that a step of the flow shows; null for the first and the last one. */
export const labelStepOf = (step: LinearStepId): LabelStepId | null => LABEL_STEP[step];

const ROUTE_PREFIX = /^survey-/;

/**
 * Step of a route name (2§2: "Route names may carry a survey- prefix, which is stripped and converted to camel case");
 * null if it is none of the flow.
 */
export function linearStepOf(routeName: string): LinearStepId | null {
  const name = routeName.replace(ROUTE_PREFIX, '').replace(/-+([^-]?)/g, (_, letter: string) => letter.toUpperCase());
  return LINEAR_STEPS.find((step) => step === name.toLowerCase()) ?? null;
}

/** Step in the progress bar. */
interface LinearStep {
  readonly id: LinearStepId;
  readonly isCurrent: boolean;
  /** 2§2: "Earlier steps are marked complete." */
  readonly isComplete: boolean;
}

/** All steps, with those before the current one complete. */
export function linearSteps(current: LinearStepId): readonly LinearStep[] {
  const at = LINEAR_STEPS.indexOf(current);
  return LINEAR_STEPS.map((id, index) => ({ id, isCurrent: index === at, isComplete: index < at }));
}

/** State of the flow: where it is, and the action that its button would take. */
export interface LinearFlow {
  readonly step: LinearStepId;
  /** Choice that is not applied yet; null without one. */
  readonly action: string | null;
}

type LinearEvent =
  { readonly kind: 'route'; readonly name: string } | { readonly kind: 'choose'; readonly label: string };

/** State after an event; a route outside the flow leaves the step (2§4: "Any stored action is cleared on each route change"). */
export function linearFlow(flow: LinearFlow, event: LinearEvent): LinearFlow {
  return event.kind === 'route'
    ? { step: linearStepOf(event.name) ?? flow.step, action: null }
    : { ...flow, action: event.label };
}

/** Settings of a step's button (2§4 "Each step has disable and next settings"). */
interface LinearSettings {
  readonly disable: boolean;
  /** Next step, or another image. After a bad image it is the first step again, with another one. */
  readonly next: LinearStepId | 'another-image';
}

/** Settings of the current step over the state of its labelling. */
export function linearSettings({ step, action }: LinearFlow, state: Labelling): LinearSettings {
  if (isImageSkipped(step, action)) return { disable: false, next: 'another-image' };
  const shown = LABEL_STEP[step];
  const next = LINEAR_STEPS[LINEAR_STEPS.indexOf(step) + 1] ?? 'another-image';
  // Nothing leads to the last step that is not complete as a whole.
  const isReady =
    shown === null || (next === 'success' ? state.canSubmit : stepState(state, shown)?.isComplete === true);
  return { disable: !isReady, next };
}

/** True if the choice skips the image (2§4: "The 'Bad Image' choice on question 1 skips the image and loads another"). */
export const isImageSkipped = (step: LinearStepId, label: string | null): boolean =>
  step === 'labels' && label === BAD_IMAGE_LABEL;
