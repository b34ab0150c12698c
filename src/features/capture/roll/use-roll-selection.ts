import { useMemo, useState } from 'react';
import type { PhotographView } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';

const NO_SELECTION: ReadonlySet<ImageId> = new Set();

/** Selected photographs of the roll. Selection mode lasts until it ends or, without `begin`, while any is selected. */
export function useRollSelection(photographs: readonly PhotographView[]) {
  const [selected, select] = useState<ReadonlySet<ImageId>>(NO_SELECTION);
  const [isSelecting, setSelecting] = useState(false);
  const order = useMemo(() => photographs.map(({ id }) => id), [photographs]);
  const inOrder = useMemo(() => order.filter((id) => selected.has(id)), [order, selected]);
  const clear = (): void => select(NO_SELECTION);
  return {
    /** All photographs, in the person's order. */
    order,
    selected,
    inOrder,
    isOn: isSelecting || inOrder.length > 0,
    select,
    selectAll: () => select(new Set(order)),
    clear,
    begin: () => setSelecting(true),
    end: () => {
      setSelecting(false);
      clear();
    },
  };
}
