import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demosOf, fullDemoOf } from './demos';
import {
  startTraining,
  canGoForward,
  serialiseTraining,
  stageOf,
  trainingReducer,
  trainingDemo,
  parseTraining,
  TRAINING_STAGES,
  type Training,
  type TrainingEvent,
} from './training';
import {
  startWalkthrough,
  canAdvance,
  completeTypes,
  demoOf,
  isTypeComplete,
  learnableTypes,
  walkthroughReducer,
  type Walkthrough,
  type WalkthroughEvent,
} from './walkthrough';

const BOULDER = 'reef_hardcoral_boulder';
const PLATING = 'reef_hardcoral_plating';
const after = (events: readonly WalkthroughEvent[], from: Walkthrough = startWalkthrough(0)): Walkthrough =>
  events.reduce(walkthroughReducer, from);
const next = { kind: 'next' } as const;
const back = { kind: 'back' } as const;
const completed = { kind: 'completed' } as const;
const pick = (type: string): WalkthroughEvent => ({ kind: 'pick', type });
const boulderDone = [next, pick(BOULDER), completed, completed];

describe('2§4 free-draw walkthrough (steps 1 to 5)', () => {
  test('a new user starts at step 1, where no type can be picked', () => {
    const start = startWalkthrough(0);
    expect([start.step, demoOf(start)]).toEqual([1, null]);
    expect(walkthroughReducer(start, pick(BOULDER))).toBe(start);
    expect(walkthroughReducer(start, completed)).toBe(start);
    expect(walkthroughReducer(start, back)).toBe(start);
  });

  test('picking a type in steps 2 to 3 clears the analysis and shows a demo', () => {
    const second = after([next]);
    expect([second.step, demoOf(second)]).toEqual([2, null]);
    const picked = walkthroughReducer(second, pick(BOULDER));
    expect(demoOf(picked)).toBe(demosOf(BOULDER)[0]);
    expect(picked.revision).toBeGreaterThan(second.revision);
    // Picking again clears the marks and shows the same demo.
    expect(walkthroughReducer(picked, pick(BOULDER))).toEqual({ ...picked, revision: picked.revision + 1 });
    const third = after([...boulderDone, pick(PLATING)]);
    expect([third.step, demoOf(third)]).toEqual([3, demosOf(PLATING)[0]]);
    for (const type of ['flag_focus', 'nosuch', 'reef_structure_rubble'])
      expect(walkthroughReducer(second, pick(type)), type).toBe(second);
    const fourth = after([...boulderDone, next]);
    expect(walkthroughReducer(fourth, pick(PLATING))).toBe(fourth);
  });

  test('completing a demo moves to the next; completing all completes the type', () => {
    const one = after([next, pick(BOULDER), completed]);
    expect([one.step, demoOf(one), isTypeComplete(one, BOULDER), one.revision]).toEqual([
      2,
      demosOf(BOULDER)[1],
      false,
      3,
    ]);
    const two = walkthroughReducer(one, completed);
    expect([two.step, demoOf(two), completeTypes(two)]).toEqual([3, demosOf(BOULDER)[0], [BOULDER]]);
    expect(walkthroughReducer(two, completed)).toMatchObject({ done: two.done, step: 3, demo: 1 });
    expect(isTypeComplete(two, 'nosuch')).toBe(false);
    // A half-finished type continues at its first missing demo.
    expect(demoOf(after([pick(PLATING), pick(BOULDER)], one))).toBe(demosOf(BOULDER)[1]);
  });

  test('steps advance up to 3 by completing; step 4 uses the full demo; step 5 unlocks', () => {
    const all = after([...boulderDone, pick(PLATING), completed, completed]);
    expect(all.step).toBe(3);
    const full = walkthroughReducer(all, next);
    expect([full.step, demoOf(full), canAdvance(full)]).toEqual([4, fullDemoOf(0), false]);
    expect(walkthroughReducer(full, next)).toBe(full);
    const fifth = walkthroughReducer(full, completed);
    expect([fifth.step, demoOf(fifth), canAdvance(fifth)]).toEqual([5, null, false]);
    expect(walkthroughReducer(fifth, next)).toBe(fifth);
  });

  test('going forward from step 2 needs a complete type and stays possible after going back', () => {
    const second = after([next]);
    expect([canAdvance(second), walkthroughReducer(second, next)]).toEqual([false, second]);
    const returned = after([...boulderDone, back]);
    expect([returned.step, canAdvance(returned)]).toEqual([2, true]);
    expect(after([back, back, back, back], after([...boulderDone, next, completed])).step).toBe(1);
  });

  test('each mode teaches its types that have demos, on its own full picture', () => {
    expect(learnableTypes(0)).toHaveLength(6);
    expect(learnableTypes(2)).toEqual(expect.arrayContaining(['reef_structure_rubble', 'reef_structure_algae']));
    expect(new Set([0, 1, 2].map((mode) => fullDemoOf(mode).id)).size).toBe(3);
    expect(fullDemoOf(3)).toBe(fullDemoOf(2));
  });
});

describe('2§4 public training (stages 1 to 6)', () => {
  const trained = (events: readonly TrainingEvent[], from: Training = startTraining()): Training =>
    events.reduce(trainingReducer, from);
  const skip = { kind: 'skip' } as const;

  test('training goes through Welcome, colour in, complete, aim for 100%, unlocked and complete', () => {
    const way = [next, pick(BOULDER), completed, completed, next, completed, next];
    const stages = way
      .reduce<Training[]>((all, event) => [...all, trainingReducer(all.at(-1)!, event)], [startTraining()])
      .map(stageOf);
    expect(stages).toEqual([1, 2, 2, 2, 3, 4, 5, 6]);
    expect(TRAINING_STAGES).toHaveLength(6);
    expect(trained(way).end).toBe('finished');
    expect(trainingDemo(trained(way))).toBeNull();
    // A second category is coloured in too, and can be left for the next stage.
    const more = trained([...boulderDone, pick(PLATING)]);
    expect([stageOf(more), canGoForward(more), stageOf(trainingReducer(more, next))]).toEqual([2, true, 4]);
  });

  test('the user can go back, forward or skip, and start again', () => {
    expect(stageOf(trained([next, back]))).toBe(1);
    expect([canGoForward(startTraining()), canGoForward(trained([next])), canGoForward(trained([skip]))]).toEqual([
      true,
      false,
      false,
    ]);
    for (const way of [[], [next], boulderDone, [...boulderDone, next]] as const) {
      const left = trained([...way, skip]);
      expect([stageOf(left), left.end]).toEqual([6, 'skipped']);
      expect(trainingReducer(left, skip)).toBe(left);
      expect(trainingReducer(left, next)).toBe(left);
      // Going back from the end returns to the previous stage.
      expect(stageOf(trainingReducer(left, back))).toBe(stageOf(trained(way)));
    }
    const again = trained([...boulderDone, skip, { kind: 'again' }]);
    expect([
      stageOf(again),
      again.walkthrough.done,
      again.walkthrough.revision > trained(boulderDone).walkthrough.revision,
    ]).toEqual([1, [], true]);
  });

  test('stored state is restored; broken, foreign and impossible text is ignored', () => {
    const half = trained([...boulderDone, pick(PLATING), completed]);
    const read = parseTraining(serialiseTraining(half));
    expect(read).toEqual({ ...half, walkthrough: { ...half.walkthrough, revision: 0 } });
    expect(parseTraining(serialiseTraining(trained([skip])))?.end).toBe('skipped');
    for (const text of [
      null,
      '',
      '{',
      'null',
      '7',
      '[]',
      '{"step":9,"mode":0,"done":[],"end":null}',
      '{"step":2,"mode":7,"done":[],"end":null}',
      '{"step":2,"mode":0,"done":null,"end":null}',
      '{"step":2,"mode":0,"done":[],"end":"x"}',
    ])
      expect(parseTraining(text), String(text)).toBeNull();
    // A removed demo counts as not done, so the step that it led to is not reached.
    expect(parseTraining('{"step":5,"mode":0,"type":"gone","demo":9,"done":["gone",5],"end":"finished"}')).toEqual({
      walkthrough: { step: 2, mode: 0, type: null, demo: 0, done: [], revision: 0 },
      end: null,
    });
  });

  test('any input leaves a valid stage, a picture to paint and a matching stored state', () => {
    const event: fc.Arbitrary<TrainingEvent> = fc.oneof(
      fc.constantFrom<TrainingEvent>(next, back, completed, skip, { kind: 'again' }),
      fc.constantFrom(...learnableTypes(2), 'nosuch').map((type): TrainingEvent => ({ kind: 'pick', type })),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), fc.integer({ min: 0, max: 3 }), (events, mode) => {
        const training = trained(events, startTraining(mode));
        const stage = stageOf(training);
        const demo = trainingDemo(training);
        if (stage === 4) expect(demo).toBe(fullDemoOf(mode));
        if (stage === 1 || stage >= 5) expect(demo).toBeNull();
        if (stage === 3 || stage === 4) expect(completeTypes(training.walkthrough)).not.toEqual([]);
        expect(parseTraining(serialiseTraining(training))).toEqual({
          ...training,
          walkthrough: { ...training.walkthrough, revision: 0 },
        });
      }),
    );
  });
});
