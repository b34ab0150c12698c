import { describe, expect, test } from 'vitest';
import type { LabelLogs } from './label-marks';
import { labelVersion } from './label-versions';
import type { Labelling } from './labelling';
import { labellingOf } from './labelling';
import type { LinearFlow, LinearStepId } from './linear-flow';
import {
  isImageSkipped,
  labelStepOf,
  LINEAR_STEPS,
  LINEAR_VERSION,
  linearFlow,
  linearSettings,
  linearStepOf,
  linearSteps,
} from './linear-flow';

const OUTLINE = {
  id: 'a',
  rings: [
    [
      [0, 0],
      [0.5, 0],
      [0.5, 0.5],
      [0, 0],
    ],
  ],
  area: 0.125,
  predicted: null,
} as const;
const answer = (label: string) => ({ marks: [{ kind: 'answer', since: 1, label }], undone: [] }) as const;
const LOGS: LabelLogs = {
  labels: { marks: [{ kind: 'label', since: 1, outline: 'a', label: 'plating' }], undone: [] },
  dominant: answer('plating'),
  coralLevel: answer('low'),
};
const state = (logs: LabelLogs): Labelling => labellingOf(labelVersion(LINEAR_VERSION), [OUTLINE], logs);
const at = (step: LinearStepId, action: string | null = null): LinearFlow => ({ step, action });

describe('2§4 older linear flow', () => {
  test('2§4 analysis leads through labels, domination and corallevel to success, and on to another image', () => {
    const path: string[] = ['analysis'];
    let flow = at('analysis');
    for (;;) {
      const { next, disable } = linearSettings(flow, state(LOGS));
      expect(disable).toBe(false);
      path.push(next);
      if (next === 'another-image') break;
      flow = linearFlow(flow, { kind: 'route', name: next });
    }
    expect(path).toEqual(['analysis', 'labels', 'domination', 'corallevel', 'success', 'another-image']);
  });

  test('2§4 each step is disabled until the labelling has what it asks', () => {
    expect(linearSettings(at('analysis'), state({})).disable).toBe(false);
    expect(linearSettings(at('labels'), state({})).disable).toBe(true);
    expect(linearSettings(at('labels'), state(LOGS)).disable).toBe(false);
    expect(linearSettings(at('domination'), state({ ...LOGS, dominant: answer('nothing') })).disable).toBe(true);
    expect(linearSettings(at('corallevel'), state({ ...LOGS, coralLevel: answer('nothing') })).disable).toBe(true);
    // No way leads to success without the labels, wherever it begins.
    expect(linearSettings(at('corallevel'), state({ ...LOGS, labels: { marks: [], undone: [] } })).disable).toBe(true);
  });

  test('2§2 a survey- prefix is stripped and the rest camel-cased to find the step', () => {
    for (const step of LINEAR_STEPS) {
      expect(linearStepOf(step)).toBe(step);
      expect(linearStepOf(`survey-${step}`)).toBe(step);
    }
    expect(linearStepOf('survey-coral-level')).toBe('corallevel');
    for (const name of ['survey-', 'survey', 'dashboard', 'labels-survey-', '']) expect(linearStepOf(name)).toBeNull();
  });

  test('2§2 earlier steps are marked complete', () => {
    expect(linearSteps('domination').map(({ isComplete }) => isComplete)).toEqual([true, true, false, false, false]);
    expect(linearSteps('domination').filter(({ isCurrent }) => isCurrent)).toMatchObject([{ id: 'domination' }]);
    expect(linearSteps('analysis').some(({ isComplete }) => isComplete)).toBe(false);
  });

  test('2§4 Bad Image on question 1 skips the image', () => {
    expect(linearSettings(at('labels', 'badimage'), state({}))).toEqual({ disable: false, next: 'another-image' });
    expect(isImageSkipped('domination', 'badimage')).toBe(false);
    expect(isImageSkipped('labels', 'unknown')).toBe(false);
  });

  test('2§4 a stored action is cleared on each route change', () => {
    const chosen = linearFlow(at('labels'), { kind: 'choose', label: 'badimage' });
    expect(chosen).toEqual(at('labels', 'badimage'));
    expect(linearFlow(chosen, { kind: 'route', name: 'survey-domination' })).toEqual(at('domination'));
    expect(linearFlow(chosen, { kind: 'route', name: 'dashboard' })).toEqual(at('labels'));
  });

  test('2§4 its questions are steps of version 2.1', () => {
    expect(LINEAR_STEPS.map(labelStepOf).filter((step) => step !== null)).toEqual(
      labelVersion(LINEAR_VERSION).steps.map(({ id }) => id),
    );
  });
});
