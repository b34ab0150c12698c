import { useSyncExternalStore } from 'react';
import { parseStoredMode } from '../../../domain/analysis/free-draw/modes';
import { serialiseTraining, parseTraining, type Training } from '../../../domain/analysis/free-draw/training';
import { LocalSetting, readLocalSetting, writeLocalSetting } from '../../../platform/local-settings';

/**
 * Learning progress on this device: mode and course per person, advanced toggle per device. Reaches no record, journal
 * or role.
 */

export type CourseOwner = string | null;

const COURSES = ['walkthrough', 'training'] as const;
export type CourseName = (typeof COURSES)[number];

const modeKey = (owner: CourseOwner): string => `learn.mode.${owner ?? 'nobody'}`;
const courseKey = (name: CourseName, owner: CourseOwner): string => `learn.${name}.${owner ?? 'nobody'}`;

/** Person who took over what was learned here without a name. */
const TAKEN_KEY = 'learn.taken';

/** Id and address of the person who learned here last. */
const LEARNER_KEY = 'learn.person';

/** Stored mode of a person; null if they have learned nothing yet. */
export function readMode(owner: CourseOwner): number | null {
  takeOver(owner);
  return parseStoredMode(readLocalSetting(modeKey(owner)));
}

export function saveMode(owner: CourseOwner, mode: number): void {
  write(owner, modeKey(owner), String(mode));
}

/** Progress in a course; null if not started or over. */
export function readCourse(name: CourseName, owner: CourseOwner): Training | null {
  takeOver(owner);
  return parseTraining(readLocalSetting(courseKey(name, owner)));
}

/** @param training null: the course is over */
export function saveCourse(name: CourseName, owner: CourseOwner, training: Training | null): void {
  write(owner, courseKey(name, owner), training === null ? '' : serialiseTraining(training));
}

function write(owner: CourseOwner, key: string, value: string): void {
  const before = readLocalSetting(key);
  if (before === value) return;
  writeLocalSetting(key, value);
  // Further progress without a name waits for a person again.
  if (owner === null) writeLocalSetting(TAKEN_KEY, '');
}

/**
 * Copies what was learned without a name to the first person who then signs in. It also stays on this tablet: further
 * training without a name continues there.
 */
function takeOver(owner: CourseOwner): void {
  if (owner === null || (readLocalSetting(TAKEN_KEY) ?? '') !== '') return;
  if (copyLearned(null, owner)) writeLocalSetting(TAKEN_KEY, owner);
}

/**
 * Copies what a person learned to the id that a sign-in gave them: pairing and the cloud know people by their address,
 * each under an id of its own.
 */
export function followLearner({ uid, email }: { readonly uid: string; readonly email: string }): void {
  const stored = readLocalSetting(LEARNER_KEY) ?? '';
  const [before, address] = stored.split(' ');
  if (before !== undefined && before !== '' && before !== uid && email !== '' && address === email)
    copyLearned(before, uid);
  if (stored !== `${uid} ${email}`) writeLocalSetting(LEARNER_KEY, `${uid} ${email}`);
}

/** Copies what `to` has not learned yet; returns false if there is nothing to copy. */
function copyLearned(from: CourseOwner, to: string): boolean {
  const keys = [modeKey, ...COURSES.map((name) => (of: CourseOwner) => courseKey(name, of))];
  const learned = keys.map((key) => [key(to), readLocalSetting(key(from)) ?? ''] as const);
  for (const [key, value] of learned)
    if (value !== '' && (readLocalSetting(key) ?? '') === '') writeLocalSetting(key, value);
  return learned.some(([, value]) => value !== '');
}

const advanced = new LocalSetting<boolean>(
  'trace.advanced',
  (stored) => stored === 'on',
  (on) => (on ? 'on' : 'off'),
);

export const isAdvanced = advanced.get;

/** Sets the advanced toggle of 2§4, a display setting of this device. */
export const setAdvanced = advanced.set;

/** Current value of the advanced toggle, synchronised across tabs. */
export function useAdvanced(): boolean {
  return useSyncExternalStore(advanced.subscribe, advanced.get);
}
