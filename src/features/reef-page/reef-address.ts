import type { ShareClass } from '../../data/repositories';

/** Shares of a pie in its order. `total` is all living coral. */
export const SHARES = [
  'branching',
  'plating',
  'massive',
  'other',
  'none',
  'total',
] as const satisfies readonly ShareClass[];

/** Open share, photograph and answer of the page, as its address has them. */
export interface ReefSearch {
  readonly dataset?: string;
  readonly share?: (typeof SHARES)[number];
  readonly photograph?: string;
  /** Open answer on the photograph. */
  readonly answer?: string;
}

/** Reads the query of an address; members that are not valid are left out. */
export function reefSearch(search: Readonly<Record<string, unknown>>): ReefSearch {
  // A text of digits alone is parsed as a number.
  const textOf = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  const [dataset, photograph, answer] = [textOf('dataset'), textOf('photograph'), textOf('answer')];
  const share = SHARES.find((name) => name === textOf('share'));
  return {
    ...(dataset === undefined ? {} : { dataset }),
    ...(share === undefined ? {} : { share }),
    ...(photograph === undefined ? {} : { photograph }),
    ...(answer === undefined ? {} : { answer }),
  };
}
