import { useSyncExternalStore } from 'react';
import { parseStoredMode } from '../../../domain/analysis/free-draw/modes';
import { serialiseTraining, parseTraining, type Training } from '../../../domain/analysis/free-draw/training';
import { LocalSetting, readLocalSetting, writeLocalSetting } from '../../../platform/local-settings';

/**
 * Learning progress on this device: mode and course per person, advanced toggle per device. Reaches no record, journal
 * or role.
 */

export type CourseOwner = string | null;

export type CourseName = 'walkthrough' | 'training';

const modeKey = (owner: CourseOwner): string => `learn.mode.${owner ?? 'nobody'}`;
const courseKey = (name: CourseName, owner: CourseOwner): string => `learn.${name}.${owner ?? 'nobody'}`;

export const readMode = (owner: CourseOwner): number | null => parseStoredMode(readLocalSetting(modeKey(owner)));

export function saveMode(owner: CourseOwner, mode: number): void {
  writeLocalSetting(modeKey(owner), String(mode));
}

/** Progress in a course; null if not started or over. */
export const readCourse = (name: CourseName, owner: CourseOwner): Training | null =>
  parseTraining(readLocalSetting(courseKey(name, owner)));

/** @param training null: the course is over */
export function saveCourse(name: CourseName, owner: CourseOwner, training: Training | null): void {
  writeLocalSetting(courseKey(name, owner), training === null ? '' : serialiseTraining(training));
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
