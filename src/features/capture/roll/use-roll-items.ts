import { useEffect, useMemo, useState } from 'react';
import type { PhotographView } from '../../../data/repositories';
import type { SurveyAdding } from '../queue/adding-state';
import { countHints, createNumbering, rollItemsOf, type RollFilter } from './roll-items';

/** Tiles of the roll behind its filter, with their numbers and hints. */
export function useRollItems(photographs: readonly PhotographView[], adding: SurveyAdding) {
  const [filter, setFilter] = useState<RollFilter>('all');
  const hints = useMemo(() => countHints(photographs), [photographs]);
  const rollItems = useMemo(
    () => rollItemsOf(photographs, adding.items, adding.keys, filter),
    [photographs, adding, filter],
  );
  const [numbering] = useState(createNumbering);
  const numberOf = useMemo(() => numbering(photographs), [numbering, photographs]);
  // An empty filter falls back to all.
  useEffect(() => {
    if (filter === 'hints' && photographs.length > 0 && hints.photographs === 0) setFilter('all');
  }, [filter, hints, photographs]);
  return { filter, setFilter, hints, rollItems, numberOf };
}
