import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demosOf, fullDemoOf } from './demos';
import {
  beginTraining,
  canGoForward,
  keptTraining,
  stageOf,
  train,
  trainingDemo,
  trainingFrom,
  TRAINING_STAGES,
  type Training,
  type TrainingEvent,
} from './training';
import {
  beginWalkthrough,
  canGoOn,
  completeTypes,
  demoOf,
  isTypeComplete,
  learnableTypes,
  walk,
  type Walkthrough,
  type WalkthroughEvent,
} from './walkthrough';

const BOULDER = 'reef_hardcoral_boulder';
const PLATING = 'reef_hardcoral_plating';
const after = (events: readonly WalkthroughEvent[], from: Walkthrough = beginWalkthrough(0)): Walkthrough =>
  events.reduce(walk, from);
const next = { do: 'next' } as const;
const back = { do: 'back' } as const;
const completed = { do: 'completed' } as const;
const pick = (type: string): WalkthroughEvent => ({ do: 'pick', type });
const boulderDone = [next, pick(BOULDER), completed, completed];

describe('2§4 free-draw walkthrough (steps 1 to 5)', () => {
  test('a new user starts at step 1, where nothing can be picked yet', () => {
    const start = beginWalkthrough(0);
    expect([start.step, demoOf(start)]).toEqual([1, null]);
    expect(walk(start, pick(BOULDER))).toBe(start);
    expect(walk(start, completed)).toBe(start);
    expect(walk(start, back)).toBe(start);
  });

  test('picking a type in steps 2 to 3 clears the analysis and shows a demo', () => {
    const second = after([next]);
    expect([second.step, demoOf(second)]).toEqual([2, null]);
    const picked = walk(second, pick(BOULDER));
    expect(demoOf(picked)).toBe(demosOf(BOULDER)[0]);
    expect(picked.turn).toBeGreaterThan(second.turn);
    // The same again: what was painted goes, the demo stays.
    expect(walk(picked, pick(BOULDER))).toEqual({ ...picked, turn: picked.turn + 1 });
    const third = after([...boulderDone, pick(PLATING)]);
    expect([third.step, demoOf(third)]).toEqual([3, demosOf(PLATING)[0]]);
    for (const type of ['flag_focus', 'nosuch', 'reef_structure_rubble'])
      expect(walk(second, pick(type)), type).toBe(second);
    const fourth = after([...boulderDone, next]);
    expect(walk(fourth, pick(PLATING))).toBe(fourth);
  });

  test('completing a demo moves to the next, cycling; all of them done marks the type complete', () => {
    const one = after([next, pick(BOULDER), completed]);
    expect([one.step, demoOf(one), isTypeComplete(one, BOULDER), one.turn]).toEqual([2, demosOf(BOULDER)[1], false, 3]);
    const two = walk(one, completed);
    expect([two.step, demoOf(two), completeTypes(two)]).toEqual([3, demosOf(BOULDER)[0], [BOULDER]]);
    expect(walk(two, completed)).toMatchObject({ done: two.done, step: 3, demo: 1 });
    expect(isTypeComplete(two, 'nosuch')).toBe(false);
    // What was left half done is gone on with at the demo that is missing.
    expect(demoOf(after([pick(PLATING), pick(BOULDER)], one))).toBe(demosOf(BOULDER)[1]);
  });

  test('steps advance up to 3 by completing; step 4 uses the full demo; step 5 unlocks', () => {
    const all = after([...boulderDone, pick(PLATING), completed, completed]);
    expect(all.step).toBe(3);
    const full = walk(all, next);
    expect([full.step, demoOf(full), canGoOn(full)]).toEqual([4, fullDemoOf(0), false]);
    expect(walk(full, next)).toBe(full);
    const fifth = walk(full, completed);
    expect([fifth.step, demoOf(fifth), canGoOn(fifth)]).toEqual([5, null, false]);
    expect(walk(fifth, next)).toBe(fifth);
  });

  test('forward from step 2 needs a complete type, and stays open on the way back', () => {
    const second = after([next]);
    expect([canGoOn(second), walk(second, next)]).toEqual([false, second]);
    const returned = after([...boulderDone, back]);
    expect([returned.step, canGoOn(returned)]).toEqual([2, true]);
    expect(after([back, back, back, back], after([...boulderDone, next, completed])).step).toBe(1);
  });

  test('each mode learns the types that it offers and that have demos, on its own full picture', () => {
    expect(learnableTypes(0)).toHaveLength(6);
    expect(learnableTypes(2)).toEqual(expect.arrayContaining(['reef_structure_rubble', 'reef_structure_algae']));
    expect(new Set([0, 1, 2].map((mode) => fullDemoOf(mode).id)).size).toBe(3);
    expect(fullDemoOf(3)).toBe(fullDemoOf(2));
  });
});

describe('2§4 public training (stages 1 to 6)', () => {
  const trained = (events: readonly TrainingEvent[], from: Training = beginTraining()): Training =>
    events.reduce(train, from);
  const skip = { do: 'skip' } as const;

  test('Welcome, colour in, complete, aim for 100%, unlocked, training complete', () => {
    const way = [next, pick(BOULDER), completed, completed, next, completed, next];
    const stages = way
      .reduce<Training[]>((all, event) => [...all, train(all.at(-1)!, event)], [beginTraining()])
      .map(stageOf);
    expect(stages).toEqual([1, 2, 2, 2, 3, 4, 5, 6]);
    expect(TRAINING_STAGES).toHaveLength(6);
    expect(trained(way).end).toBe('finished');
    expect(trainingDemo(trained(way))).toBeNull();
    // Another category after the first is coloured in as well, and can be left for the next stage.
    const more = trained([...boulderDone, pick(PLATING)]);
    expect([stageOf(more), canGoForward(more), stageOf(train(more, next))]).toEqual([2, true, 4]);
  });

  test('the user can go back, forward or skip, and begin again', () => {
    expect(stageOf(trained([next, back]))).toBe(1);
    expect([canGoForward(beginTraining()), canGoForward(trained([next])), canGoForward(trained([skip]))]).toEqual([
      true,
      false,
      false,
    ]);
    for (const way of [[], [next], boulderDone, [...boulderDone, next]] as const) {
      const left = trained([...way, skip]);
      expect([stageOf(left), left.end]).toEqual([6, 'skipped']);
      expect(train(left, skip)).toBe(left);
      expect(train(left, next)).toBe(left);
      // Back from the end is where it was left.
      expect(stageOf(train(left, back))).toBe(stageOf(trained(way)));
    }
    const again = trained([...boulderDone, skip, { do: 'again' }]);
    expect([stageOf(again), again.walk.done, again.walk.turn > trained(boulderDone).walk.turn]).toEqual([1, [], true]);
  });

  test('what is kept comes back; broken, foreign and impossible text does not, and throws nothing', () => {
    const half = trained([...boulderDone, pick(PLATING), completed]);
    const read = trainingFrom(keptTraining(half));
    expect(read).toEqual({ ...half, walk: { ...half.walk, turn: 0 } });
    expect(trainingFrom(keptTraining(trained([skip])))?.end).toBe('skipped');
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
      expect(trainingFrom(text), String(text)).toBeNull();
    // A demo that no longer is counts as not done, so the step that it led to is not reached.
    expect(trainingFrom('{"step":5,"mode":0,"type":"gone","demo":9,"done":["gone",5],"end":"finished"}')).toEqual({
      walk: { step: 2, mode: 0, type: null, demo: 0, done: [], turn: 0 },
      end: null,
    });
  });

  test('whatever is pressed, the stage is one of six, a picture is there where one is to be painted, and what is kept is what stands', () => {
    const event: fc.Arbitrary<TrainingEvent> = fc.oneof(
      fc.constantFrom<TrainingEvent>(next, back, completed, skip, { do: 'again' }),
      fc.constantFrom(...learnableTypes(2), 'nosuch').map((type): TrainingEvent => ({ do: 'pick', type })),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), fc.integer({ min: 0, max: 3 }), (events, mode) => {
        const training = trained(events, beginTraining(mode));
        const stage = stageOf(training);
        const demo = trainingDemo(training);
        if (stage === 4) expect(demo).toBe(fullDemoOf(mode));
        if (stage === 1 || stage >= 5) expect(demo).toBeNull();
        if (stage === 3 || stage === 4) expect(completeTypes(training.walk)).not.toEqual([]);
        expect(trainingFrom(keptTraining(training))).toEqual({ ...training, walk: { ...training.walk, turn: 0 } });
      }),
    );
  });
});
