import { ANALYSIS_LIMITS } from '../../domain/limits';
import type { TileArea } from '../../workers/picture-tiles/picture-tiles.api';

/** Side of a tile, px of its level. */
const TILE_SIDE = 512;
/** Largest stretch of a level's px before the next level is used. */
const STRETCH_MAX = 1.15;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Rectangle of a picture, normalised. */
export interface VisiblePart {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Tile {
  /** Index of the level, coarsest 0. */
  readonly level: number;
  readonly column: number;
  readonly row: number;
}

/** Sizes of the levels beyond the overview, coarse to fine, px. The last is the decoded size. */
export function levelsOf(shown: Size): readonly Size[] {
  const longer = Math.max(shown.width, shown.height);
  if (longer <= ANALYSIS_LIMITS.imageSizePreview) return [];
  const coarser = [ANALYSIS_LIMITS.imageSizeMl, ANALYSIS_LIMITS.imageSizeFull]
    .filter((size) => size < longer)
    .map((size) => ({
      width: Math.round((shown.width * size) / longer),
      height: Math.round((shown.height * size) / longer),
    }));
  return [...coarser, shown];
}

/** Coarsest level that is sharp at a picture width of so many device px; -1: the overview. */
export function levelFor(levels: readonly Size[], overview: Size, pixels: number): number {
  if (levels.length === 0 || pixels <= overview.width * STRETCH_MAX) return -1;
  const at = levels.findIndex(({ width }) => pixels <= width * STRETCH_MAX);
  return at === -1 ? levels.length - 1 : at;
}

export function needsFinerSource(shown: Size, pixels: number): boolean {
  return pixels > shown.width * STRETCH_MAX;
}

/** Visible tiles of a level, from the middle outwards. */
export function visibleTiles(level: number, size: Size, seen: VisiblePart): readonly Tile[] {
  const from = (at: number, side: number): number => Math.max(0, Math.floor((at * side) / TILE_SIDE));
  const to = (at: number, side: number): number =>
    Math.min(Math.ceil(side / TILE_SIDE), Math.ceil((at * side) / TILE_SIDE));
  const tiles: Tile[] = [];
  for (let row = from(seen.top, size.height); row < to(seen.bottom, size.height); row++)
    for (let column = from(seen.left, size.width); column < to(seen.right, size.width); column++)
      tiles.push({ level, column, row });
  const middle = [
    ((seen.left + seen.right) / 2) * (size.width / TILE_SIDE) - 0.5,
    ((seen.top + seen.bottom) / 2) * (size.height / TILE_SIDE) - 0.5,
  ] as const;
  const far = ({ column, row }: Tile): number => Math.hypot(column - middle[0], row - middle[1]);
  return tiles.sort((a, b) => far(a) - far(b));
}

/** Source and target of a tile, a px larger to the right and below, so that no seam shows. */
export function areaOf(
  { column, row }: Tile,
  level: Size,
  shown: Size,
): { readonly cut: TileArea; readonly place: VisiblePart } {
  const left = column * TILE_SIDE;
  const top = row * TILE_SIDE;
  const toWidth = Math.min(TILE_SIDE + 1, level.width - left);
  const toHeight = Math.min(TILE_SIDE + 1, level.height - top);
  const place = {
    left: left / level.width,
    top: top / level.height,
    right: (left + toWidth) / level.width,
    bottom: (top + toHeight) / level.height,
  };
  const x = Math.floor(place.left * shown.width);
  const y = Math.floor(place.top * shown.height);
  const cut = {
    x,
    y,
    width: Math.max(1, Math.round(place.right * shown.width) - x),
    height: Math.max(1, Math.round(place.bottom * shown.height) - y),
    toWidth,
    toHeight,
  };
  // Target derived from the source: in a coarser level the two differ by fractions of a px.
  return {
    cut,
    place: {
      left: x / shown.width,
      top: y / shown.height,
      right: (x + cut.width) / shown.width,
      bottom: (y + cut.height) / shown.height,
    },
  };
}

/** LRU cache with a byte budget; never evicts items in use. */
export class TileCache<Thing extends { readonly close: () => void }> {
  readonly #things = new Map<string, { readonly thing: Thing; readonly bytes: number }>();
  #bytes = 0;

  constructor(readonly budget: number) {}

  get(key: string): Thing | undefined {
    const found = this.#things.get(key);
    if (found === undefined) return undefined;
    this.#things.delete(key);
    this.#things.set(key, found);
    return found.thing;
  }

  /** @param inUse keys never to evict */
  put(key: string, thing: Thing, bytes: number, inUse: ReadonlySet<string>): void {
    this.evict((each) => each === key);
    this.#things.set(key, { thing, bytes });
    this.#bytes += bytes;
    for (const each of [...this.#things.keys()]) {
      if (this.#bytes <= this.budget) return;
      if (each !== key && !inUse.has(each)) this.evict((other) => other === each);
    }
  }

  evict(isIt: (key: string) => boolean): void {
    for (const [key, { thing, bytes }] of [...this.#things]) {
      if (!isIt(key)) continue;
      this.#things.delete(key);
      this.#bytes -= bytes;
      thing.close();
    }
  }
}
