import { useEffect } from 'react';
import type { Observable, Repositories } from '../../../data/repositories';
import { useObservable } from '../../shell';
import { lastVisitor, type Visitor } from './last-visitor';

const constant = <Value>(value: Value): Observable<Value> => ({ get: () => value, subscribe: () => () => undefined });
const NO_PERSON = constant(null);
const NO_FACTS = constant({ answering: 'unknown' as const });
const NO_BOXES = constant({ items: [] as readonly unknown[] });
const NO_SERVER = constant({ isBoxPage: false });

/**
 * 3§6: surveys and photographs are for the signed-in; aboard, anyone at the tablet counts as signed in, paired or not.
 * `unknown` before the tablet's data is open.
 */
export function useVisitor(repositories: Repositories | null): 'unknown' | Visitor {
  const person = useObservable<unknown>(repositories?.account.people.current ?? NO_PERSON);
  const { answering } = useObservable<{ readonly answering: string }>(repositories?.edge.link.connectivity ?? NO_FACTS);
  const boxes = useObservable<{ readonly items: readonly unknown[] }>(repositories?.edge.link.paired ?? NO_BOXES);
  const signIn = repositories?.account.signIn;
  const { isBoxPage } = useObservable<{ readonly isBoxPage: boolean }>(signIn?.facts ?? NO_SERVER);
  const isPaired = boxes.items.length > 0;
  const isStranger = repositories !== null && person === null && !isPaired;
  useEffect(() => {
    // On a first visit, the server of this page is not known yet.
    if (isStranger) void signIn?.discover();
  }, [isStranger, signIn]);
  if (repositories === null) return 'unknown';
  const isAboard = isBoxPage || answering === 'edge' || (answering !== 'www' && isPaired);
  return person !== null || isAboard ? 'signed-in' : 'signed-out';
}

/** The visitor, or until that is known the one of the last visit. */
export function useExpectedVisitor(visitor: 'unknown' | Visitor): 'unknown' | Visitor {
  useEffect(() => {
    if (visitor !== 'unknown' && visitor !== lastVisitor.get()) lastVisitor.set(visitor);
  }, [visitor]);
  return visitor === 'unknown' ? lastVisitor.get() : visitor;
}
