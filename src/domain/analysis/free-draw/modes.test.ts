import { describe, expect, test } from 'vitest';
import { CATEGORY_TYPES } from './categories';
import {
  ADVANCED_MODE,
  finishTraining,
  firstGroup,
  unlockedTypes,
  hasModifiers,
  canToggleAdvanced,
  startMode,
  parseStoredMode,
  toggleAdvanced,
  toggleTraining,
  typesForMode,
  unlockMode,
} from './modes';

const new_ = { stored: null, isExpert: false, isAdvanced: false };

describe('2§4 free-draw modes', () => {
  test('the mode is a number: 0 training, 1 to 3 simple levels, above 3 advanced', () => {
    expect(startMode(new_).mode).toBe(0);
    expect([0, 1, 2, 3].map((stored) => startMode({ ...new_, stored }).mode)).toEqual([0, 1, 2, 3]);
    expect(ADVANCED_MODE).toBe(4);
  });

  test('a new non-expert user starts with the walkthrough; experts skip to advanced mode', () => {
    expect(startMode(new_)).toEqual({ mode: 0, stored: null, isUnlocked: false, isWalkthroughShown: true });
    expect(startMode({ ...new_, isExpert: true })).toEqual({
      mode: 4,
      stored: null,
      isUnlocked: false,
      isWalkthroughShown: false,
    });
    expect(startMode({ stored: 1, isExpert: true, isAdvanced: false }).mode).toBe(4);
    expect(startMode({ ...new_, stored: 1 }).isWalkthroughShown).toBe(false);
  });

  test('users with a stored mode below 3 start on the reef type; otherwise the mode toggle applies', () => {
    for (const stored of [0, 1, 2]) {
      const state = startMode({ stored, isExpert: false, isAdvanced: true });
      expect([state.mode, firstGroup(state), canToggleAdvanced(state, false)]).toEqual([stored, 'reef', false]);
    }
    const state = startMode({ stored: 3, isExpert: false, isAdvanced: true });
    expect([state.mode, firstGroup(state), canToggleAdvanced(state, false)]).toEqual([4, null, true]);
    expect(startMode({ stored: 3, isExpert: false, isAdvanced: false }).mode).toBe(3);
  });

  test('unlocking raises the mode, sets a flag and never lowers a mode', () => {
    expect(unlockMode(startMode({ ...new_, stored: 1 }))).toMatchObject({ mode: 2, stored: 2, isUnlocked: true });
    expect(unlockMode(startMode(new_))).toMatchObject({ mode: 1, stored: null, isUnlocked: true });
    const last = startMode({ ...new_, stored: 3 });
    expect(unlockMode(last)).toBe(last);
    // Repeating an early mode does not lower the stored one.
    expect(unlockMode({ ...last, mode: 0 })).toMatchObject({ mode: 1, stored: 3 });
  });

  test('finishing training sets mode 2 if none is stored and ends the walkthrough', () => {
    expect(finishTraining(startMode(new_))).toEqual({
      mode: 2,
      stored: 2,
      isUnlocked: true,
      isWalkthroughShown: false,
    });
    expect(finishTraining(unlockMode(startMode(new_)))).toMatchObject({ mode: 2, stored: 2 });
    expect(finishTraining(toggleTraining(startMode({ ...new_, stored: 1 })))).toEqual({
      mode: 1,
      stored: 1,
      isUnlocked: false,
      isWalkthroughShown: false,
    });
    expect(finishTraining(toggleTraining(startMode({ ...new_, isExpert: true }))).mode).toBe(4);
  });

  test('the training button toggles the walkthrough', () => {
    const state = startMode({ ...new_, stored: 2 });
    expect(toggleTraining(state)).toEqual({ ...state, isWalkthroughShown: true });
    expect(toggleTraining(toggleTraining(state))).toEqual(state);
  });

  test('the advanced toggle changes the view and stores nothing', () => {
    const state = startMode({ ...new_, stored: 3 });
    expect(toggleAdvanced(state, true)).toEqual({ ...state, mode: 4 });
    expect(toggleAdvanced(toggleAdvanced(state, true), false)).toEqual(state);
    expect(toggleAdvanced(startMode({ ...new_, isExpert: true }), false).mode).toBe(3);
  });

  test('stored text yields a simple mode or none', () => {
    expect(['0', '3', '4', '-1', '2.5', '', 'NaN', null].map(parseStoredMode)).toEqual([
      0,
      3,
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  test('each mode adds to the previous one, and only advanced mode has states', () => {
    for (const mode of [1, 2, 3]) {
      const before = new Set(typesForMode(mode - 1));
      expect(
        [...before].every((type) => typesForMode(mode).includes(type)),
        String(mode),
      ).toBe(true);
      expect(unlockedTypes(mode - 1, mode).length, String(mode)).toBeGreaterThan(3);
    }
    expect(typesForMode(0).map(({ label }) => label)).toEqual([
      'Branching',
      'Plating',
      'Boulder',
      'Soft coral',
      'Water',
      'Sand',
    ]);
    expect(typesForMode(2).filter(({ group }) => group === 'reef')).toEqual(
      CATEGORY_TYPES.filter(({ group }) => group === 'reef'),
    );
    // Every mode but training has types for all of a photograph, flags and "not sure".
    for (const mode of [1, 2, 3, 4])
      expect([
        typesForMode(mode).some(({ zap, flag }) => zap && !flag),
        typesForMode(mode).filter(({ flag }) => flag).length,
        typesForMode(mode).some(({ id }) => id === 'reef_unsure'),
      ]).toEqual([true, 6, true]);
    expect([typesForMode(3), typesForMode(9)]).toEqual([CATEGORY_TYPES, CATEGORY_TYPES]);
    expect([0, 1, 2, 3, 4].map(hasModifiers)).toEqual([false, false, false, false, true]);
  });
});
