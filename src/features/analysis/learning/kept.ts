import { useSyncExternalStore } from 'react';
import { storedMode } from '../../../domain/analysis/free-draw/modes';
import { keptTraining, trainingFrom, type Training } from '../../../domain/analysis/free-draw/training';
import { onLocalSettingChange, readLocalSetting, writeLocalSetting } from '../../../platform/small-store';

/**
 * What this device remembers of who learns on it: the simple mode and the course for each person, the advanced toggle for whoever is at it. It is
 * kept here alone: no record, no journal and no role has any of it.
 */

/** Of whom something is kept: a person's uid, or nobody's. */
export type Who = string | null;

/** The walkthrough over photographs, and the public training: each is gone on with where it was left. */
export type CourseName = 'walkthrough' | 'training';

const modeKey = (who: Who): string => `learn.mode.${who ?? 'nobody'}`;
const courseKey = (name: CourseName, who: Who): string => `learn.${name}.${who ?? 'nobody'}`;
const ADVANCED = 'trace.advanced';
const ON = 'on';

/** The mode that is stored for somebody; null for none. */
export const readMode = (who: Who): number | null => storedMode(readLocalSetting(modeKey(who)));

export function keepMode(who: Who, mode: number): void {
  writeLocalSetting(modeKey(who), String(mode));
}

/** How far somebody came in a course; null where it was not begun, or is over. */
export const readCourse = (name: CourseName, who: Who): Training | null =>
  trainingFrom(readLocalSetting(courseKey(name, who)));

/** @param training null: it is over, and begins anew the next time */
export function keepCourse(name: CourseName, who: Who, training: Training | null): void {
  writeLocalSetting(courseKey(name, who), training === null ? '' : keptTraining(training));
}

const listeners = new Set<() => void>();
export const isAdvanced = (): boolean => readLocalSetting(ADVANCED) === ON;

/** 2§4's toggle, as a display setting of this device. */
export function setAdvanced(on: boolean): void {
  writeLocalSetting(ADVANCED, on ? ON : 'off');
  for (const told of listeners) told();
}

function subscribe(told: () => void): () => void {
  listeners.add(told);
  const stop = onLocalSettingChange(ADVANCED, told);
  return () => {
    listeners.delete(told);
    stop();
  };
}

/** The advanced toggle as it stands, in all tabs. */
export function useAdvanced(): boolean {
  return useSyncExternalStore(subscribe, isAdvanced);
}
