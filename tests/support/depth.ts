/** Number of cases a proof runs: a fresh share of them for each commit, or all of them before a release. */
export type Depth = 'commit' | 'release';

/** Depth named by DEPTH. @throws RangeError for a name that is not a depth */
export function depthOf(name: string | undefined): Depth {
  if (name === undefined || name === '' || name === 'commit') return 'commit';
  if (name === 'release') return 'release';
  throw new RangeError(`DEPTH is "commit" or "release", not "${name}".`);
}

/** Depth of this run. */
export const DEPTH = depthOf(process.env['DEPTH']);

/** One of so many shares of the cases, another with each seed: several runs meet all; before a release all of them. */
export function shareByDepth<T>(cases: readonly T[], shares: number, seed: number, depth = DEPTH): readonly T[] {
  return depth === 'release' ? cases : cases.filter((_, index) => (index + seed) % shares === 0);
}

/** Value for the depth of this run. */
export function byDepth<T>(values: Readonly<Record<Depth, T>>): T {
  return values[DEPTH];
}
