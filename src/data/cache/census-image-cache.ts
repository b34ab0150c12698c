import type { Dexie, EntityTable } from 'dexie';
import type { OutlineSet } from '../../domain/analysis/labelling/outline';
import type { ImageId } from '../../domain/ids';
import type { TabletHost } from '../../platform/host';
import { packOutlines, unpackOutlines } from '../ops/journals/packed-outlines';
import type { TraceImage } from '../repositories/analysis/types';
import { bestEffort, openCacheDatabase } from './cache-database';
import { scarceBytes } from './free-space';

/** Maximum number of census photographs cached with their pictures. */
export const CENSUS_CACHE_MAX = 50;

/** Census photograph with data for the data layer only: the location of its corrected version. */
export interface CachedImage {
  readonly view: TraceImage;
  /** `token/url` */
  readonly corrected: string | null;
}

/** Census photograph as the cloud sent it. */
export interface CensusRow {
  readonly id: ImageId;
  readonly image: CachedImage;
  readonly isExpert: boolean;
  /** By this tablet's clock, ms since the epoch. */
  readonly usedAt: number;
  /** User to whom the cloud showed it, as it may belong to a private survey. Absent: public. */
  readonly seenBy?: string;
}

/** Picture as fetched. Read by primary key only: WebKit has crashed on blobs read through an index. */
interface PictureRow {
  /** `<imageId>/<look>/<size>` */
  readonly key: string;
  readonly blob: Blob;
  readonly bytes: number;
}

export type ImageColour = 'plain' | 'corrected';

const IMAGE_COLOURS: readonly ImageColour[] = ['plain', 'corrected'];
const SIZES = [800, 2000, 4000] as const;
type Size = (typeof SIZES)[number];

/** Outlines of a cached photograph. */
interface CachedOutlines {
  readonly set: OutlineSet;
  /** Maker: a server, or the segmentation of this tablet. */
  readonly from: 'server' | 'tablet';
}

interface OutlineRow {
  /** `<imageId>/<public or expert>`: each has its own sizes. */
  readonly key: string;
  /** Packed. */
  readonly set: unknown;
  readonly from: CachedOutlines['from'];
}

interface CensusDatabase extends Dexie {
  readonly images: EntityTable<CensusRow, 'id'>;
  readonly pictures: EntityTable<PictureRow, 'key'>;
  readonly outlines: EntityTable<OutlineRow, 'key'>;
}

/**
 * Cache of recently viewed census photographs with their pictures, so that work continues offline. A separate database,
 * like the cache of boxes: everything can be fetched again, and a failure counts as a miss.
 */
export class CensusImageCache {
  readonly #db: CensusDatabase;

  readonly #host: Pick<TabletHost, 'idb' | 'log' | 'clock' | 'storage'>;

  constructor(host: Pick<TabletHost, 'idb' | 'log' | 'clock' | 'storage'>, name: string) {
    this.#host = host;
    this.#db = openCacheDatabase<CensusDatabase>(host, name);
    this.#db.version(1).stores({ images: '&id, usedAt', pictures: '&key' });
    this.#db.version(2).stores({ outlines: '&key' });
  }

  /** All cached photographs, most recently used first. */
  async images(): Promise<readonly CensusRow[]> {
    return (await this.#bestEffort(() => this.#db.images.orderBy('usedAt').reverse().toArray())) ?? [];
  }

  getImage(id: ImageId): Promise<CensusRow | undefined> {
    return this.#bestEffort(() => this.#db.images.get(id));
  }

  /**
   * Stores a photograph as just used, and evicts the least recently used beyond the limit. @param seenBy as
   * {@link CensusRow.seenBy}
   */
  async storeImage(id: ImageId, image: CachedImage, isExpert: boolean, seenBy?: string): Promise<void> {
    const db = this.#db;
    const host = this.#host;
    await this.#bestEffort(() =>
      db.transaction('rw', db.images, db.pictures, db.outlines, async () => {
        await db.images.put({
          id,
          image,
          isExpert,
          usedAt: host.clock.now(),
          ...(seenBy === undefined ? {} : { seenBy }),
        });
        const ids = await db.images.orderBy('usedAt').primaryKeys();
        for (const old of ids.filter((one) => one !== id).slice(0, Math.max(0, ids.length - CENSUS_CACHE_MAX)))
          await this.#deleteImage(old);
      }),
    );
  }

  /** Returns the picture; undefined if it is not cached or is damaged. */
  async getPicture(id: ImageId, colour: ImageColour, size: Size): Promise<Blob | undefined> {
    const row = await this.#bestEffort(() => this.#db.pictures.get(keyOf(id, colour, size)));
    if (row === undefined) return undefined;
    if ((await readableBytes(row.blob)) === row.bytes && row.bytes > 0) return row.blob;
    this.#host.log.note('warn', 'A cached census picture is damaged; fetching it again.', { id, size });
    await this.#bestEffort(() => this.#db.pictures.delete(row.key));
    return undefined;
  }

  async hasPicture(id: ImageId): Promise<boolean> {
    const keys = SIZES.map((size) => keyOf(id, 'plain', size));
    return (await this.#bestEffort(() => this.#db.pictures.where('key').anyOf(keys).count())) !== 0;
  }

  /**
   * Caches a picture of a cached image; evicts the oldest if storage is full. Space for new photographs has priority.
   */
  async storePicture(id: ImageId, colour: ImageColour, size: Size, blob: Blob): Promise<void> {
    const db = this.#db;
    const free = await scarceBytes(this.#host);
    if (free !== null) {
      this.#host.log.note('info', 'This tablet is low on space; census pictures are not cached.', { free });
      await this.#bestEffort(() => db.pictures.clear());
      return;
    }
    const put = (): Promise<void> =>
      db.transaction('rw', db.images, db.pictures, async () => {
        if ((await db.images.where('id').equals(id).count()) > 0)
          await db.pictures.put({ key: keyOf(id, colour, size), blob, bytes: blob.size });
      });
    try {
      await put();
    } catch (error) {
      this.#host.log.note(
        'warn',
        'A census picture could not be cached for lack of space; deleting half of the cache.',
        { error: String(error) },
      );
      await this.#bestEffort(() =>
        db.transaction('rw', db.images, db.pictures, db.outlines, async () => {
          const ids = await db.images.orderBy('usedAt').primaryKeys();
          for (const old of ids.filter((one) => one !== id).slice(0, Math.ceil(ids.length / 2)))
            await this.#deleteImage(old);
        }),
      );
      await this.#bestEffort(put);
    }
  }

  /** Returns the outlines for the public or for experts; undefined if they are not cached or cannot be read. */
  async getOutlines(id: ImageId, isExpert: boolean): Promise<CachedOutlines | undefined> {
    const row = await this.#bestEffort(() => this.#db.outlines.get(outlineKey(id, isExpert)));
    const set = row === undefined ? undefined : unpackOutlines(row.set);
    return row === undefined || set === undefined ? undefined : { set, from: row.from };
  }

  /** Caches the outlines of a cached image. */
  async storeOutlines(id: ImageId, isExpert: boolean, { set, from }: CachedOutlines): Promise<void> {
    const db = this.#db;
    await this.#bestEffort(() =>
      db.transaction('rw', db.images, db.outlines, async () => {
        if ((await db.images.where('id').equals(id).count()) > 0)
          await db.outlines.put({ key: outlineKey(id, isExpert), set: packOutlines(set), from });
      }),
    );
  }

  close(): void {
    this.#db.close();
  }

  async #deleteImage(id: ImageId): Promise<void> {
    await this.#db.images.delete(id);
    await this.#db.outlines.bulkDelete([outlineKey(id, false), outlineKey(id, true)]);
    await this.#db.pictures.bulkDelete(IMAGE_COLOURS.flatMap((colour) => SIZES.map((size) => keyOf(id, colour, size))));
  }

  #bestEffort<Value>(work: () => PromiseLike<Value>): Promise<Value | undefined> {
    return bestEffort(this.#host, 'The census picture cache could not be read or written.', work);
  }
}

function keyOf(id: ImageId, colour: ImageColour, size: Size): string {
  return `${id}/${colour}/${size}`;
}

function outlineKey(id: ImageId, isExpert: boolean): string {
  return `${id}/${isExpert ? 'expert' : 'public'}`;
}

/** Number of readable bytes; -1 if the storage lost the file. */
async function readableBytes(blob: Blob): Promise<number> {
  try {
    return (await blob.arrayBuffer()).byteLength;
  } catch {
    // The underlying file is missing.
    return -1;
  }
}
