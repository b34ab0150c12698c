import type { Observable, Repositories } from '../../../data/repositories';
import { useObservable } from '../../shell';

const constant = <Value>(value: Value): Observable<Value> => ({ get: () => value, subscribe: () => () => undefined });
const NO_PERSON = constant(null);
const NO_FACTS = constant({ answering: 'unknown' as const });
const NO_BOXES = constant({ items: [] as readonly unknown[] });

/**
 * 3§6: surveys and photographs are for the signed-in; aboard, anyone at the tablet counts as signed in. `unknown` before
 * the tablet's data is open.
 */
export function useVisitor(repositories: Repositories | null): 'unknown' | 'signed-in' | 'signed-out' {
  const person = useObservable<unknown>(repositories?.account.people.current ?? NO_PERSON);
  const { answering } = useObservable<{ readonly answering: string }>(repositories?.edge.link.connectivity ?? NO_FACTS);
  const boxes = useObservable<{ readonly items: readonly unknown[] }>(repositories?.edge.link.paired ?? NO_BOXES);
  if (repositories === null) return 'unknown';
  const isAboard = answering === 'edge' || (answering !== 'www' && boxes.items.length > 0);
  return person !== null || isAboard ? 'signed-in' : 'signed-out';
}
