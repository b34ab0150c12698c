import type { OpenedPicture, PictureTiles, TileSource } from '../../workers/picture-tiles/picture-tiles.api';
import type { VisiblePart, Size, Tile } from './tile-plan';
import type { PictureArea } from './viewer.types';
import { TileCache, areaOf, levelFor, levelsOf, visibleTiles, needsFinerSource } from './tile-plan';

/** Memory limit of cached tiles, RGBA bytes. */
const BUDGET = 64 * 1024 * 1024;
/** Tiles requested at a time: the first show before the last are cut. */
const BATCH = 6;

export const createTileCache = (): TileCache<ImageBitmap> => new TileCache<ImageBitmap>(BUDGET);

/** Bytes to show, and the size they were made at: px of the longer side at most. */
export interface PictureVersion extends TileSource {
  readonly madeAt: number | 'original';
}

interface SourceOptions {
  readonly tiles: PictureTiles;
  readonly cache: TileCache<ImageBitmap>;
  readonly source: PictureVersion;
  readonly onSharper: () => void;
  /** null: no finer version. */
  readonly loadFiner: () => Promise<PictureVersion | null>;
  /** Full size of the picture, px, if another rendering reported it. */
  readonly size?: Size;
}

/** Picture for the stage: an overview, and finer tiles of the visible part. */
export class PictureSource {
  readonly size: Size;
  readonly #options: SourceOptions;
  #source: PictureVersion;
  #opened: OpenedPicture;
  #levels: readonly Size[];
  #isCutting = false;
  #isClosed = false;
  #hasRequestedFiner = false;

  private constructor(options: SourceOptions, looked: OpenedPicture) {
    this.#options = options;
    this.#source = options.source;
    this.#opened = looked;
    this.#levels = levelsOf(looked.shown);
    this.size = options.size ?? looked.size;
  }

  /** @throws ReefError with a message for the user if it cannot be decoded */
  static async open(options: SourceOptions): Promise<PictureSource> {
    return new PictureSource(options, await options.tiles.open(options.source));
  }

  /** Same bytes, with colours corrected on this device. */
  corrected(): Pick<SourceOptions, 'source' | 'loadFiner'> {
    const corrected = (of: PictureVersion): PictureVersion => ({ ...of, id: `${of.id} corrected`, isCorrected: true });
    return {
      source: corrected(this.#source),
      loadFiner: async () => {
        const of = await this.#options.loadFiner();
        return of === null ? null : corrected(of);
      },
    };
  }

  /** Decoded size if smaller than the full size; null otherwise. */
  get shownAt(): Size | null {
    const { size, shown } = this.#opened;
    return shown.width < size.width ? shown : null;
  }

  /** Longer side, px, if these bytes were made smaller than the original; null otherwise. */
  get reducedTo(): number | null {
    const { madeAt } = this.#source;
    const longer = Math.max(this.#opened.size.width, this.#opened.size.height);
    return madeAt === 'original' || longer < madeAt ? null : longer;
  }

  /**
   * Draws into the unit square under the context's transform; requests missing tiles.
   * @param pixels device px of the picture's whole width
   */
  draw(context: CanvasRenderingContext2D, pixels: number): void {
    const { overview, shown } = this.#opened;
    context.drawImage(overview, 0, 0, 1, 1);
    const finest = levelFor(this.#levels, overview, pixels);
    const seen = visiblePartOf(context);
    const missing: Tile[] = [];
    const inUse = new Set<string>();
    for (let level = 0; level <= finest; level++) {
      const size = this.#levels[level];
      if (size === undefined) continue;
      for (const tile of visibleTiles(level, size, seen)) {
        const key = this.#keyOf(tile);
        if (level === finest) inUse.add(key);
        const bitmap = this.#options.cache.get(key);
        if (bitmap === undefined) {
          if (level === finest) missing.push(tile);
          continue;
        }
        const { place } = areaOf(tile, size, shown);
        context.drawImage(bitmap, place.left, place.top, place.right - place.left, place.bottom - place.top);
      }
    }
    if (missing.length > 0) void this.#cut(missing.slice(0, BATCH), inUse);
    else if (needsFinerSource(shown, pixels)) void this.#requestFiner();
  }

  /** Renders the whole picture at a width in px. @throws ReefError if it can no longer be decoded */
  render(width: number): Promise<ImageBitmap> {
    return this.crop({ left: 0, top: 0, width: 1, height: 1 }, width);
  }

  /** Renders a part of the picture at a width in px. @throws ReefError if it can no longer be decoded */
  async crop(area: PictureArea, width: number): Promise<ImageBitmap> {
    const { shown } = this.#opened;
    const ratio = (area.height * this.size.height) / (area.width * this.size.width);
    const [bitmap] = await this.#options.tiles.cut(this.#source, [
      {
        x: area.left * shown.width,
        y: area.top * shown.height,
        width: area.width * shown.width,
        height: area.height * shown.height,
        toWidth: width,
        toHeight: Math.max(1, Math.round(width * ratio)),
      },
    ]);
    if (bitmap === undefined) throw new Error('The picture could not be cropped.');
    return bitmap;
  }

  close(): void {
    this.#isClosed = true;
    this.#dropTiles();
    this.#opened.overview.close();
  }

  #keyOf({ level, column, row }: Tile): string {
    return `${this.#source.id} ${level} ${column} ${row}`;
  }

  #dropTiles(): void {
    this.#options.cache.evict((key) => key.startsWith(`${this.#source.id} `));
  }

  async #cut(missing: readonly Tile[], inUse: ReadonlySet<string>): Promise<void> {
    if (this.#isCutting || this.#isClosed) return;
    this.#isCutting = true;
    const { tiles, cache, onSharper } = this.#options;
    const of = this.#source;
    try {
      const areas = missing.map(
        (tile) => areaOf(tile, this.#levels[tile.level] ?? this.#opened.shown, this.#opened.shown).cut,
      );
      const bitmaps = await tiles.cut(of, areas);
      for (const [at, bitmap] of bitmaps.entries()) {
        const tile = missing[at];
        if (this.#isClosed || of !== this.#source || tile === undefined) bitmap.close();
        else cache.put(this.#keyOf(tile), bitmap, bitmap.width * bitmap.height * 4, inUse);
      }
      this.#isCutting = false;
      if (!this.#isClosed) onSharper();
    } catch (error) {
      // The picture stays as sharp as it is; the next movement retries.
      this.#isCutting = false;
      console.warn('Part of the picture could not be made sharper:', error);
    }
  }

  async #requestFiner(): Promise<void> {
    if (this.#hasRequestedFiner) return;
    this.#hasRequestedFiner = true;
    try {
      const of = await this.#options.loadFiner();
      if (of === null || this.#isClosed) return;
      const looked = await this.#options.tiles.open(of);
      if (this.#isClosed || looked.shown.width <= this.#opened.shown.width) return looked.overview.close();
      this.#dropTiles();
      this.#opened.overview.close();
      this.#source = of;
      this.#opened = looked;
      this.#levels = levelsOf(looked.shown);
      this.#options.onSharper();
    } catch (error) {
      // Without a connection there is no finer version; the current one stays.
      console.warn('A finer version of the picture could not be fetched:', error);
    }
  }
}

function visiblePartOf(context: CanvasRenderingContext2D): VisiblePart {
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
