import type { PhotographView } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import type { PhotographHint } from '../../../domain/image/hints';
import type { AddingItem } from '../queue/adding-state';

/** One tile of the roll. */
export type RollItem =
  /** A saved photograph; `number` counts from 1 in the person's order. */
  | { readonly kind: 'photograph'; readonly key: string; readonly number: number; readonly photograph: PhotographView }
  /** A file that this survey has already; `twin` is the photograph it equals, null where that was removed meanwhile. */
  | {
      readonly kind: 'known';
      readonly key: string;
      readonly file: AddingItem;
      readonly twin: { readonly number: number; readonly photograph: PhotographView } | null;
    }
  | { readonly kind: 'adding'; readonly key: string; readonly file: AddingItem };

/** Which tiles are shown. */
export type RollFilter = 'all' | 'hints';

/**
 * The roll: photographs in the person's order, with duplicates and refused files where they came in between, then what is
 * being read and what waits.
 */
export function rollItemsOf(
  photographs: readonly PhotographView[],
  adding: readonly AddingItem[],
  keys: ReadonlyMap<ImageId, number>,
  filter: RollFilter = 'all',
): readonly RollItem[] {
  const rollItems: RollItem[] = [];
  if (filter === 'hints') {
    photographs.forEach((photograph, i) => {
      if (photograph.hints.length > 0) rollItems.push(photographItem(photograph, i));
    });
    return rollItems;
  }
  const settled = adding.filter(({ state }) => state.status === 'known' || state.status === 'refused');
  const numbers = settled.length === 0 ? new Map<ImageId, number>() : new Map(photographs.map(({ id }, i) => [id, i]));
  let next = 0;
  const appendSettledBefore = (key: number): void => {
    for (let item = settled[next]; item !== undefined && item.key < key; item = settled[++next])
      rollItems.push(settledItem(item, photographs, numbers));
  };
  photographs.forEach((photograph, i) => {
    const key = keys.get(photograph.id);
    if (key !== undefined) appendSettledBefore(key);
    rollItems.push(photographItem(photograph, i));
  });
  appendSettledBefore(Infinity);
  for (const item of adding)
    if (item.state.status === 'reading' || item.state.status === 'waiting') rollItems.push(fileItem(item));
  return rollItems;
}

type PhotographItem = Extract<RollItem, { kind: 'photograph' }>;
type FileItem = Extract<RollItem, { kind: 'adding' }>;

/** The latest cell of each: where nothing changed it is the same object, and its tile is not drawn again. */
const photographItems = new WeakMap<PhotographView, PhotographItem>();
const fileItems = new WeakMap<AddingItem, FileItem>();

function photographItem(photograph: PhotographView, index: number): PhotographItem {
  const cached = photographItems.get(photograph);
  if (cached?.number === index + 1) return cached;
  const created: PhotographItem = { kind: 'photograph', key: photograph.id, number: index + 1, photograph };
  photographItems.set(photograph, created);
  return created;
}

function fileItem(item: AddingItem): FileItem {
  const cached = fileItems.get(item);
  if (cached !== undefined) return cached;
  const created: FileItem = { kind: 'adding', key: `adding-${item.key}`, file: item };
  fileItems.set(item, created);
  return created;
}

/** The numbers of photographs, counted from 1; null for one that is not among them. */
export type NumberOf = (id: ImageId) => number | null;

/**
 * Numbers photographs in their order. As long as photographs only come behind those that are there, the function stays the
 * same object, so that no tile is drawn again for it.
 */
export function createNumbering(): (photographs: readonly PhotographView[]) => NumberOf {
  let numbers = new Map<ImageId, number>();
  let numberOf: NumberOf = () => null;
  return (photographs) => {
    let unchanged = 0;
    while (
      unchanged < photographs.length &&
      numbers.get((photographs[unchanged] as PhotographView).id) === unchanged + 1
    )
      unchanged++;
    if (unchanged < numbers.size) {
      numbers = new Map();
      unchanged = 0;
    }
    if (numbers.size === 0) {
      const current = numbers;
      numberOf = (id) => current.get(id) ?? null;
    }
    for (let i = unchanged; i < photographs.length; i++) numbers.set((photographs[i] as PhotographView).id, i + 1);
    return numberOf;
  };
}

function settledItem(
  item: AddingItem,
  photographs: readonly PhotographView[],
  numbers: ReadonlyMap<ImageId, number>,
): RollItem {
  if (item.state.status !== 'known') return fileItem(item);
  const key = `adding-${item.key}`;
  const index = numbers.get(item.state.id);
  const photograph = index === undefined ? undefined : photographs[index];
  return {
    kind: 'known',
    key,
    file: item,
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
