import type { LookedAt, PictureTiles, TilesOf } from '../../../workers/picture-tiles.api';
import type { Seen, Size, Tile } from './tile-plan';
import { TileStore, areaOf, levelFor, levelsOf, tilesSeen, wantsMore } from './tile-plan';

/** RGBA that tiles may hold together, bytes. */
const BUDGET = 64 * 1024 * 1024;
/** Tiles asked for at a time: the first ones show before the last are cut. */
const BATCH = 6;

/** Tiles of all renderings of a picture share one budget. */
export const makeTileStore = (): TileStore<ImageBitmap> => new TileStore<ImageBitmap>(BUDGET);

export interface SourceOptions {
  readonly tiles: PictureTiles;
  readonly store: TileStore<ImageBitmap>;
  readonly of: TilesOf;
  /** Something sharper can be drawn now. */
  readonly onSharper: () => void;
  /** Bytes with more detail; null where there are none. */
  readonly more: () => Promise<TilesOf | null>;
  /** The size of the picture at full size, where another rendering of it said so; px. */
  readonly size?: Size;
}

/** A picture as a stage draws it: an overview always, and of finer tiles those that are looked at. */
export class PictureSource {
  readonly size: Size;
  readonly #options: SourceOptions;
  #of: TilesOf;
  #looked: LookedAt;
  #levels: readonly Size[];
  #isCutting = false;
  #isClosed = false;
  #askedMore = false;

  private constructor(options: SourceOptions, looked: LookedAt) {
    this.#options = options;
    this.#of = options.of;
    this.#looked = looked;
    this.#levels = levelsOf(looked.shown);
    this.size = options.size ?? looked.size;
  }

  /** @throws ReefError in words for a person where it cannot be decoded */
  static async open(options: SourceOptions): Promise<PictureSource> {
    return new PictureSource(options, await options.tiles.look(options.of));
  }

  /** The same bytes with colours corrected here: what to open it with. */
  corrected(): Pick<SourceOptions, 'of' | 'more'> {
    const corrected = (of: TilesOf): TilesOf => ({ ...of, id: `${of.id} corrected`, isCorrected: true });
    return {
      of: corrected(this.#of),
      more: async () => {
        const of = await this.#options.more();
        return of === null ? null : corrected(of);
      },
    };
  }

  /** What of its size could be decoded; null: all. */
  get shownAt(): Size | null {
    const { size, shown } = this.#looked;
    return shown.width < size.width ? shown : null;
  }

  /**
   * Draws into the unit square under the context's transform, and has what is missing cut.
   *
   * @param pixels device px to which the whole width comes
   */
  draw(context: CanvasRenderingContext2D, pixels: number): void {
    const { overview, shown } = this.#looked;
    context.drawImage(overview, 0, 0, 1, 1);
    const finest = levelFor(this.#levels, overview, pixels);
    const seen = seenBy(context);
    const missing: Tile[] = [];
    const inUse = new Set<string>();
    for (let level = 0; level <= finest; level++) {
      const size = this.#levels[level];
      if (size === undefined) continue;
      for (const tile of tilesSeen(level, size, seen)) {
        const key = this.#keyOf(tile);
        if (level === finest) inUse.add(key);
        const bitmap = this.#options.store.get(key);
        if (bitmap === undefined) {
          if (level === finest) missing.push(tile);
          continue;
        }
        const { place } = areaOf(tile, size, shown);
        context.drawImage(bitmap, place.left, place.top, place.right - place.left, place.bottom - place.top);
      }
    }
    if (missing.length > 0) void this.#cut(missing.slice(0, BATCH), inUse);
    else if (wantsMore(shown, pixels)) void this.#askMore();
  }

  /** The whole picture as it is shown, so many px wide. @throws ReefError where it cannot be decoded any more */
  async whole(width: number): Promise<ImageBitmap> {
    const { shown } = this.#looked;
    const [bitmap] = await this.#options.tiles.cut(this.#of, [
      {
        x: 0,
        y: 0,
        ...shown,
        toWidth: width,
        toHeight: Math.max(1, Math.round((width * this.size.height) / this.size.width)),
      },
    ]);
    if (bitmap === undefined) throw new Error('No picture was cut.');
    return bitmap;
  }

  close(): void {
    this.#isClosed = true;
    this.#dropTiles();
    this.#looked.overview.close();
  }

  #keyOf({ level, column, row }: Tile): string {
    return `${this.#of.id} ${level} ${column} ${row}`;
  }

  #dropTiles(): void {
    this.#options.store.drop((key) => key.startsWith(`${this.#of.id} `));
  }

  async #cut(missing: readonly Tile[], inUse: ReadonlySet<string>): Promise<void> {
    if (this.#isCutting || this.#isClosed) return;
    this.#isCutting = true;
    const { tiles, store, onSharper } = this.#options;
    const of = this.#of;
    try {
      const areas = missing.map(
        (tile) => areaOf(tile, this.#levels[tile.level] ?? this.#looked.shown, this.#looked.shown).cut,
      );
      const bitmaps = await tiles.cut(of, areas);
      for (const [at, bitmap] of bitmaps.entries()) {
        const tile = missing[at];
        if (this.#isClosed || of !== this.#of || tile === undefined) bitmap.close();
        else store.put(this.#keyOf(tile), bitmap, bitmap.width * bitmap.height * 4, inUse);
      }
      this.#isCutting = false;
      if (!this.#isClosed) onSharper();
    } catch (error) {
      // It stays as sharp as it is. What is seen is true, and the next movement tries again.
      this.#isCutting = false;
      console.warn('A part of the picture could not be made sharper:', error);
    }
  }

  async #askMore(): Promise<void> {
    if (this.#askedMore) return;
    this.#askedMore = true;
    try {
      const of = await this.#options.more();
      if (of === null || this.#isClosed) return;
      const looked = await this.#options.tiles.look(of);
      if (this.#isClosed || looked.shown.width <= this.#looked.shown.width) return looked.overview.close();
      this.#dropTiles();
      this.#looked.overview.close();
      this.#of = of;
      this.#looked = looked;
      this.#levels = levelsOf(looked.shown);
      this.#options.onSharper();
    } catch (error) {
      // Without a link there is no finer version; the one that is there goes on.
      console.warn('A finer version of the picture could not be had:', error);
    }
  }
}

/** What of the unit square the context's canvas shows. */
function seenBy(context: CanvasRenderingContext2D): Seen {
  const back = context.getTransform().inverse();
  const { width, height } = context.canvas;
  const corners = [
    [0, 0],
    [width, 0],
    [0, height],
    [width, height],
  ].map(([x, y]) => back.transformPoint({ x: x ?? 0, y: y ?? 0 }));
  const held = (value: number): number => Math.min(1, Math.max(0, value));
  return {
    left: held(Math.min(...corners.map(({ x }) => x))),
    top: held(Math.min(...corners.map(({ y }) => y))),
    right: held(Math.max(...corners.map(({ x }) => x))),
    bottom: held(Math.max(...corners.map(({ y }) => y))),
  };
}
