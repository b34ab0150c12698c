import type { PhotographView } from '../../data/repositories';
import type { ImageId } from '../../domain/ids';
import type { PhotographHint } from '../../domain/image/hints';
import type { AddingItem } from './adding';

/** One tile of the roll. */
export type Cell =
  /** A saved photograph; `number` counts from 1 in the person's order. */
  | { readonly kind: 'photograph'; readonly key: string; readonly number: number; readonly photograph: PhotographView }
  /** A file that this survey has already; `twin` is the photograph it equals, null where that was removed meanwhile. */
  | { readonly kind: 'known'; readonly key: string; readonly item: AddingItem; readonly twin: { readonly number: number; readonly photograph: PhotographView } | null }
  | { readonly kind: 'adding'; readonly key: string; readonly item: AddingItem };

/** Which tiles are shown. */
export type RollFilter = 'all' | 'hints';

/**
 * The roll: photographs in the person's order, with duplicates and refused files where they came in between, then what is
 * being read and what waits.
 */
export function cellsOf(photographs: readonly PhotographView[], adding: readonly AddingItem[], keys: ReadonlyMap<ImageId, number>, filter: RollFilter = 'all'): readonly Cell[] {
  const cells: Cell[] = [];
  if (filter === 'hints') {
    photographs.forEach((photograph, i) => {
      if (photograph.hints.length > 0) cells.push(photographCell(photograph, i));
    });
    return cells;
  }
  const settled = adding.filter(({ state }) => state.status === 'known' || state.status === 'refused');
  const numbers = settled.length === 0 ? new Map<ImageId, number>() : new Map(photographs.map(({ id }, i) => [id, i]));
  let next = 0;
  const bringUpTo = (key: number): void => {
    for (let item = settled[next]; item !== undefined && item.key < key; item = settled[++next]) cells.push(settledCell(item, photographs, numbers));
  };
  photographs.forEach((photograph, i) => {
    const key = keys.get(photograph.id);
    if (key !== undefined) bringUpTo(key);
    cells.push(photographCell(photograph, i));
  });
  bringUpTo(Infinity);
  for (const item of adding) if (item.state.status === 'reading' || item.state.status === 'waiting') cells.push({ kind: 'adding', key: `adding-${item.key}`, item });
  return cells;
}

function photographCell(photograph: PhotographView, index: number): Cell {
  return { kind: 'photograph', key: photograph.id, number: index + 1, photograph };
}

function settledCell(item: AddingItem, photographs: readonly PhotographView[], numbers: ReadonlyMap<ImageId, number>): Cell {
  const key = `adding-${item.key}`;
  if (item.state.status !== 'known') return { kind: 'adding', key, item };
  const index = numbers.get(item.state.id);
  const photograph = index === undefined ? undefined : photographs[index];
  return { kind: 'known', key, item, twin: index === undefined || photograph === undefined ? null : { number: index + 1, photograph } };
}

/** How many photographs carry each kind of hint. */
export type HintCounts = Readonly<Record<PhotographHint['kind'], number>> & { readonly photographs: number };

export function countHints(photographs: readonly PhotographView[]): HintCounts {
  const counts = { blurred: 0, 'too-dark': 0, 'too-bright': 0, 'only-water': 0, 'near-duplicate': 0, photographs: 0 };
  for (const { hints } of photographs) {
    if (hints.length === 0) continue;
    counts.photographs++;
    for (const { kind } of hints) counts[kind]++;
  }
  return counts;
}
