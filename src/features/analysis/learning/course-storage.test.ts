import { beforeEach, expect, test, vi } from 'vitest';
import { startTraining } from '../../../domain/analysis/free-draw/training';
import { followLearner, readCourse, readMode, saveCourse, saveMode } from './course-storage';

const stored = new Map<string, string>();
vi.stubGlobal('localStorage', {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
  removeItem: (key: string) => void stored.delete(key),
});
beforeEach(() => stored.clear());

test('2§4 training without a name stays with the person who then signs in, and on this tablet', () => {
  const begun = { ...startTraining(0), end: 'finished' as const };
  saveCourse('training', null, begun);
  saveMode(null, 2);
  expect(readMode('ana')).toBe(2);
  expect(readCourse('training', 'ana')).toEqual(readCourse('training', null));
  expect(readMode(null)).toBe(2);
  // The next new person has learned nothing yet.
  expect(readMode('ben')).toBeNull();
  expect(readCourse('training', 'ben')).toBeNull();
  // Further training without a name is again for the person who then signs in; what Ana had stays.
  saveMode('ana', 3);
  saveMode(null, 1);
  expect(readMode('ben')).toBe(1);
  expect(readMode('ana')).toBe(3);
});

test('2§4 a person who has learned something keeps it, whatever was learned without a name', () => {
  saveMode('ana', 1);
  saveMode(null, 3);
  expect(readMode('ana')).toBe(1);
});

test('2§4 what a person learned follows their address to the id of a sign-in, and to no one else', () => {
  followLearner({ uid: 'ana', email: 'ana@example.org' });
  saveMode('ana', 2);
  followLearner({ uid: 'ana-aboard', email: 'ana@example.org' });
  expect(readMode('ana-aboard')).toBe(2);
  followLearner({ uid: 'ben', email: 'ben@example.org' });
  expect(readMode('ben')).toBeNull();
  // Without an address there is nothing to tell people apart by.
  followLearner({ uid: 'one', email: '' });
  saveMode('one', 3);
  followLearner({ uid: 'two', email: '' });
  expect(readMode('two')).toBeNull();
});
