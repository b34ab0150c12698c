import type { JsonObject } from '../../json';
import { isObject } from '../../json';
import { roundCoverage } from '../free-draw/stats';
import type { LabelSession, LabelStepId } from './label-marks';
import { BAD_IMAGE_LABEL } from './label-sets';
import type { Labelling } from './labelling';
import { stepState } from './labelling';

/** Label of what no outline of a step covers, in {@link stepPaint}. */
const UNCOVERED = '';

/** Fraction of the picture that each label covers in a step, by label id. */
type StepCover = Readonly<Record<string, number>>;
/** Counts of the label raster by step: see {@link stepPaint}. */
export type LabelCover = { readonly [Step in LabelStepId]?: StepCover };

/**
 * Label of each saved outline in a step, for the raster that cover is counted on. A question labels the outlines that
 * it covers with its answer, all others with the empty id: they cover larger ones anyway.
 */
export function stepPaint(state: Labelling, id: LabelStepId): ReadonlyMap<string, string> {
  const at = stepState(state, id);
  if (at === undefined || at.step.kind === 'labels') return state.labels;
  const answer = state.answers.get(id);
  const covered = new Set(at.covered.map((outline) => outline.id));
  return new Map(
    state.outlines.map((outline) => [outline.id, answer !== undefined && covered.has(outline.id) ? answer : UNCOVERED]),
  );
}

/** Steps whose cover a raster must count: the labels, and answered questions on outlines. */
export const countedSteps = (state: Labelling): readonly LabelStepId[] =>
  state.isBad
    ? []
    : state.steps
        .filter(({ step }) => step.kind === 'labels' || (step.scope !== 'picture' && state.answers.has(step.id)))
        .map(({ step }) => step.id);

/** Cover of one step: of the picture, and by label. Fractions to 4 decimals. */
interface StepStats {
  readonly coverage: number;
  readonly categories: Readonly<Record<string, number>>;
}

/** 2§3: "stats {coverage, stats per step {coverage, categories map}, sessions}". */
interface LabelStats {
  /** Fraction of the picture that has a label. */
  readonly coverage: number;
  readonly steps: { readonly [Step in LabelStepId]?: StepStats };
  readonly sessions: readonly LabelSession[];
}

/** Stats of a labelling. A flagged image has only its flag; a whole-image fill takes what no outline covers. */
export function labelStats(state: Labelling, cover: LabelCover, sessions: readonly LabelSession[]): LabelStats {
  const steps: { [Step in LabelStepId]?: StepStats } = {};
  for (const { step, isSkipped } of state.steps) {
    if (step.kind === 'labels') steps.labels = labelsStats(state, cover.labels ?? {});
    else if (!state.isBad && !isSkipped) {
      const answer = state.answers.get(step.id);
      if (answer === undefined) continue;
      // A question on the whole picture is answered for all of it.
      const share = step.scope === 'picture' ? 1 : Math.min(1, cover[step.id]?.[answer] ?? 0);
      steps[step.id] = { coverage: roundCoverage(share), categories: { [answer]: roundCoverage(share) } };
    }
  }
  return { coverage: steps.labels?.coverage ?? 0, steps, sessions };
}

function labelsStats({ isBad, zap }: Labelling, cover: StepCover): StepStats {
  if (isBad) return { coverage: 1, categories: { [BAD_IMAGE_LABEL]: 1 } };
  const shares = new Map(Object.entries(cover).filter(([label, share]) => label !== UNCOVERED && share > 0));
  const outlined = [...shares.values()].reduce((sum, share) => sum + share, 0);
  if (zap !== null && outlined < 1) shares.set(zap, (shares.get(zap) ?? 0) + 1 - outlined);
  return {
    coverage: roundCoverage(zap === null ? Math.min(1, outlined) : 1),
    categories: Object.fromEntries(
      [...shares].sort((a, b) => b[1] - a[1]).map(([label, share]) => [label, roundCoverage(share)]),
    ),
  };
}

/** Stats as a record holds them. */
export const statsJson = ({ coverage, steps, sessions }: LabelStats): JsonObject => ({
  coverage,
  steps: Object.fromEntries(
    Object.entries(steps).map(([id, step]) => [id, { coverage: step.coverage, categories: { ...step.categories } }]),
  ),
  sessions: sessions.map(({ startTime, endTime, timeTaken }) => ({ startTime, endTime, timeTaken })),
});

/** Fraction of the picture by label, as the stats of a record report it; only what is above 0. */
export function readLabelCover({ stats }: JsonObject): Readonly<Record<string, number>> {
  const steps = isObject(stats) ? stats['steps'] : undefined;
  const labels = isObject(steps) ? steps['labels'] : undefined;
  const categories = isObject(labels) ? labels['categories'] : undefined;
  return Object.fromEntries(
    Object.entries(isObject(categories) ? categories : {}).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0,
    ),
  );
}

/** Sessions stored in a record; unreadable ones are left out. */
export function readSessions({ stats }: JsonObject): readonly LabelSession[] {
  const stored = isObject(stats) ? stats['sessions'] : undefined;
  if (!Array.isArray(stored)) return [];
  return (stored as unknown[]).flatMap((each): LabelSession[] => {
    if (!isObject(each)) return [];
    const { startTime, endTime, timeTaken } = each;
    return typeof startTime === 'string' && typeof endTime === 'string' && typeof timeTaken === 'number'
      ? [{ startTime, endTime, timeTaken }]
      : [];
  });
}
