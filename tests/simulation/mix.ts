import type { Seeded } from '../support/seed';
import type { UserAction } from './people';
import type { Topology } from './world';

export type StepKind =
  | 'deed'
  | 'sail'
  | 'weather'
  | 'cut'
  | 'kill'
  | 'endInCommit'
  | 'replaceEdge'
  | 'restoreEdge'
  | 'restoreTablet'
  | 'replaceCloud'
  | 'restoreCloud'
  | 'forgetfulBridge'
  | 'backup'
  | 'clock'
  | 'pass'
  | 'attend'
  | 'free'
  | 'forge'
  | 'early'
  | 'settle';

/** Relative frequency of each kind of step. */
export type Mix = Readonly<Record<StepKind, number>>;

export const MIX: Mix = {
  deed: 40,
  sail: 6,
  weather: 9,
  cut: 5,
  kill: 9,
  endInCommit: 3,
  replaceEdge: 0.7,
  restoreEdge: 1.4,
  restoreTablet: 1.4,
  replaceCloud: 0.4,
  restoreCloud: 0.8,
  forgetfulBridge: 0.5,
  backup: 4,
  clock: 2,
  pass: 20,
  attend: 5,
  free: 4,
  forge: 1,
  early: 2,
  // Included in the actions; higher where a history is about conflicts.
  settle: 0,
};

/** Weights beside a hostile party: nobody loses a disk, so that every loss is the party's doing. */
export const HOSTILE_MIX: Partial<Mix> = {
  replaceEdge: 0,
  restoreEdge: 0,
  restoreTablet: 0,
  replaceCloud: 0,
  restoreCloud: 0,
  forgetfulBridge: 0,
  backup: 0,
  forge: 0,
  early: 0,
  free: 0,
  settle: 4,
  sail: 10,
};

export const DEEDS: Readonly<Record<Exclude<UserAction, 'free'>, number>> = {
  survey: 4,
  photograph: 6,
  edit: 14,
  delete: 2,
  restore: 2,
  settle: 4,
  profile: 1,
  analysis: 3,
};

/** Small topologies mostly: they find most and run fast. */
export function castOf(chance: Seeded): Topology {
  const n = chance.fraction();
  if (n < 0.3) return { tablets: 1, edges: 1, cloud: true };
  if (n < 0.5) return { tablets: 2, edges: 1, cloud: false };
  if (n < 0.75) return { tablets: 2, edges: 1, cloud: true };
  if (n < 0.88) return { tablets: 1, edges: 2, cloud: true };
  return { tablets: 2, edges: 2, cloud: true };
}

/** Picks a key by weight. @param at 0 ≤ at < 1 */
export function weighted<Key extends string>(weights: Readonly<Record<Key, number>>, at: number): Key {
  const entries = Object.entries(weights) as [Key, number][];
  let left = at * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [key, weight] of entries) {
    left -= weight;
    if (left < 0) return key;
  }
  throw new Error('nothing to choose from');
}
