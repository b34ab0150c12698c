import { useSyncExternalStore } from 'react';
import { parseStoredMode } from '../../../domain/analysis/free-draw/modes';
import { serialiseTraining, parseTraining, type Training } from '../../../domain/analysis/free-draw/training';
import { onLocalSettingChange, readLocalSetting, writeLocalSetting } from '../../../platform/local-settings';

/**
 * What this device remembers of who learns on it: the simple mode and the course for each person, the advanced toggle for whoever is at it. It is
 * kept here alone: no record, no journal and no role has any of it.
 */

/** Of whom something is kept: a person's uid, or nobody's. */
export type CourseOwner = string | null;

/** The walkthrough over photographs, and the public training: each is gone on with where it was left. */
export type CourseName = 'walkthrough' | 'training';

const modeKey = (owner: CourseOwner): string => `learn.mode.${owner ?? 'nobody'}`;
const courseKey = (name: CourseName, owner: CourseOwner): string => `learn.${name}.${owner ?? 'nobody'}`;
const ADVANCED = 'trace.advanced';
const ON = 'on';

/** The mode that is stored for somebody; null for none. */
export const readMode = (owner: CourseOwner): number | null => parseStoredMode(readLocalSetting(modeKey(owner)));

export function saveMode(owner: CourseOwner, mode: number): void {
  writeLocalSetting(modeKey(owner), String(mode));
}

/** How far somebody came in a course; null where it was not begun, or is over. */
export const readCourse = (name: CourseName, owner: CourseOwner): Training | null =>
  parseTraining(readLocalSetting(courseKey(name, owner)));

/** @param training null: it is over, and begins anew the next time */
export function saveCourse(name: CourseName, owner: CourseOwner, training: Training | null): void {
  writeLocalSetting(courseKey(name, owner), training === null ? '' : serialiseTraining(training));
}

const listeners = new Set<() => void>();
export const isAdvanced = (): boolean => readLocalSetting(ADVANCED) === ON;

/** 2§4's toggle, as a display setting of this device. */
export function setAdvanced(on: boolean): void {
  writeLocalSetting(ADVANCED, on ? ON : 'off');
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const stop = onLocalSettingChange(ADVANCED, listener);
  return () => {
    listeners.delete(listener);
    stop();
  };
}

/** The advanced toggle as it stands, in all tabs. */
export function useAdvanced(): boolean {
  return useSyncExternalStore(subscribe, isAdvanced);
}
