import type { PhotographView } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import type { PhotographHint } from '../../../domain/image/hints';
import type { AddingItem } from '../queue/adding-state';

export type RollItem =
  /** Saved photograph; `number` counts from 1 in the person's order. */
  | { readonly kind: 'photograph'; readonly key: string; readonly number: number; readonly photograph: PhotographView }
  /** Duplicate of `twin`; null if that was removed since. */
  | {
      readonly kind: 'known';
      readonly key: string;
      readonly file: AddingItem;
      readonly twin: { readonly number: number; readonly photograph: PhotographView } | null;
    }
  | { readonly kind: 'adding'; readonly key: string; readonly file: AddingItem };

export type RollFilter = 'all' | 'hints';

/**
 * Photographs in the person's order, duplicates and refused files where they came in, then reading and waiting files.
 * The list may learn of a photograph before the queue does: its file is left out then.
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
  const pending = adding.filter(({ state }) => state.status === 'reading' || state.status === 'waiting');
  const listed = new Set(pending.length === 0 ? [] : photographs.map(({ id }) => id));
  for (const item of pending) if (!listed.has(item.id)) rollItems.push(fileItem(item));
  return rollItems;
}

type PhotographItem = Extract<RollItem, { kind: 'photograph' }>;
type FileItem = Extract<RollItem, { kind: 'adding' }>;

/** Cached, so that an unchanged tile does not render. */
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

/** Number of a photograph, from 1; null if unknown. */
type NumberOf = (id: ImageId) => number | null;

/** Numbers photographs. While they are only appended the function stays the same object, so that no tile renders. */
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

/** Ids of the photographs, in order; only those `among` if given. */
export function photographIds(rollItems: readonly RollItem[], among?: ReadonlySet<ImageId>): ImageId[] {
  return rollItems.flatMap((rollItem) =>
    rollItem.kind === 'photograph' && (among === undefined || among.has(rollItem.photograph.id))
      ? [rollItem.photograph.id]
      : [],
  );
}

/** Photograph to insert before for a move by one; undefined at the edge. */
export function moveTarget(
  rollItems: readonly RollItem[],
  ids: readonly ImageId[],
  by: -1 | 1,
): ImageId | null | undefined {
  const order = photographIds(rollItems);
  const moving = new Set(ids);
  const places = order.flatMap((id, i) => (moving.has(id) ? [i] : []));
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (by === -1) return first === 0 ? undefined : order[first - 1];
  if (last === order.length - 1) return undefined;
  return order[last + 2] ?? null;
}
