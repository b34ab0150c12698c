import type { PhotographView } from '../../data/repositories';
import type { ImageId } from '../../domain/ids';
import type { PhotographHint } from '../../domain/image/hints';
import type { AddingItem } from './adding-state';

/** One tile of the roll. */
export type Cell =
  /** A saved photograph; `number` counts from 1 in the person's order. */
  | { readonly kind: 'photograph'; readonly key: string; readonly number: number; readonly photograph: PhotographView }
  /** A file that this survey has already; `twin` is the photograph it equals, null where that was removed meanwhile. */
  | {
      readonly kind: 'known';
      readonly key: string;
      readonly item: AddingItem;
      readonly twin: { readonly number: number; readonly photograph: PhotographView } | null;
    }
  | { readonly kind: 'adding'; readonly key: string; readonly item: AddingItem };

/** Which tiles are shown. */
export type RollFilter = 'all' | 'hints';

/**
 * The roll: photographs in the person's order, with duplicates and refused files where they came in between, then what is
 * being read and what waits.
 */
export function cellsOf(
  photographs: readonly PhotographView[],
  adding: readonly AddingItem[],
  keys: ReadonlyMap<ImageId, number>,
  filter: RollFilter = 'all',
): readonly Cell[] {
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
    for (let item = settled[next]; item !== undefined && item.key < key; item = settled[++next])
      cells.push(settledCell(item, photographs, numbers));
  };
  photographs.forEach((photograph, i) => {
    const key = keys.get(photograph.id);
    if (key !== undefined) bringUpTo(key);
    cells.push(photographCell(photograph, i));
  });
  bringUpTo(Infinity);
  for (const item of adding)
    if (item.state.status === 'reading' || item.state.status === 'waiting') cells.push(addingCell(item));
  return cells;
}

type PhotographCell = Extract<Cell, { kind: 'photograph' }>;
type AddingCell = Extract<Cell, { kind: 'adding' }>;

/** The latest cell of each: where nothing changed it is the same object, and its tile is not drawn again. */
const photographCells = new WeakMap<PhotographView, PhotographCell>();
const addingCells = new WeakMap<AddingItem, AddingCell>();

function photographCell(photograph: PhotographView, index: number): PhotographCell {
  const known = photographCells.get(photograph);
  if (known?.number === index + 1) return known;
  const made: PhotographCell = { kind: 'photograph', key: photograph.id, number: index + 1, photograph };
  photographCells.set(photograph, made);
  return made;
}

function addingCell(item: AddingItem): AddingCell {
  const known = addingCells.get(item);
  if (known !== undefined) return known;
  const made: AddingCell = { kind: 'adding', key: `adding-${item.key}`, item };
  addingCells.set(item, made);
  return made;
}

/** The numbers of photographs, counted from 1; null for one that is not among them. */
export type NumberOf = (id: ImageId) => number | null;

/**
 * Numbers photographs in their order. As long as photographs only come behind those that are there, the function stays the
 * same object, so that no tile is drawn again for it.
 */
export function makeNumbering(): (photographs: readonly PhotographView[]) => NumberOf {
  let numbers = new Map<ImageId, number>();
  let numberOf: NumberOf = () => null;
  return (photographs) => {
    let kept = 0;
    while (kept < photographs.length && numbers.get((photographs[kept] as PhotographView).id) === kept + 1) kept++;
    if (kept < numbers.size) {
      numbers = new Map();
      kept = 0;
    }
    if (numbers.size === 0) {
      const mine = numbers;
      numberOf = (id) => mine.get(id) ?? null;
    }
    for (let i = kept; i < photographs.length; i++) numbers.set((photographs[i] as PhotographView).id, i + 1);
    return numberOf;
  };
}

function settledCell(
  item: AddingItem,
  photographs: readonly PhotographView[],
  numbers: ReadonlyMap<ImageId, number>,
): Cell {
  if (item.state.status !== 'known') return addingCell(item);
  const key = `adding-${item.key}`;
  const index = numbers.get(item.state.id);
  const photograph = index === undefined ? undefined : photographs[index];
  return {
    kind: 'known',
    key,
    item,
    twin: index === undefined || photograph === undefined ? null : { number: index + 1, photograph },
  };
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
