import type { Mix } from '../mix';
import type { Planted } from '../run';
import type { Topology } from '../world';

/** Plausible mistake planted in a bundle of the simulator, which must find it. */
export interface Defect {
  readonly name: string;
  readonly planted: readonly Planted[];
  /** Weights of the steps that reveal it. */
  readonly mix?: Partial<Mix>;
  readonly cast?: Partial<Topology>;
  /** Shows beside a hostile tablet and box. */
  readonly hostile?: boolean;
  /** Seed of a history that shows it, played first; any other seed counts as well. */
  readonly shownBy?: number;
}

export const SMALL: Partial<Topology> = { tablets: 1, edges: 1, cloud: false };
export const PAIR: Partial<Topology> = { tablets: 2, edges: 1, cloud: false };
/** One tablet between two boxes, restored repeatedly: two of its lives write under the same op ids. */
export const LIVES: Partial<Topology> = { tablets: 1, edges: 2, cloud: true };
export const TWO_LIVES: Partial<Mix> = {
  restoreTablet: 30,
  backup: 20,
  sail: 25,
  deed: 80,
  replaceEdge: 0,
  restoreEdge: 0,
  replaceCloud: 0,
  restoreCloud: 0,
};
/** A tablet that moves between box and shore, and is restored repeatedly. */
export const ASHORE_BETWEEN: Partial<Mix> = {
  restoreTablet: 25,
  backup: 20,
  deed: 80,
  sail: 60,
  weather: 10,
  pass: 20,
  replaceEdge: 0,
  restoreEdge: 0,
  replaceCloud: 0,
  restoreCloud: 0,
  kill: 0,
  endInCommit: 0,
  clock: 0,
  free: 0,
  forge: 0,
  early: 0,
};
/** Two people who often write concurrently and resolve the conflicts. */
export const CONFLICTS: Partial<Mix> = {
  deed: 70,
  sail: 14,
  attend: 8,
  pass: 15,
  settle: 50,
  kill: 0,
  cut: 0,
  weather: 0,
  endInCommit: 0,
  clock: 0,
  backup: 0,
};
export const SHORE: Partial<Topology> = { tablets: 1, edges: 1, cloud: true };

/** One text of a file, which occurs there once, replaced by another. */
export const one = (file: string, find: string, replace: string): readonly Planted[] => [{ file, find, replace }];
