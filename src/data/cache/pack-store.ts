import type { Dexie, EntityTable, Table } from 'dexie';

/** Complete pack. */
export interface PackRow {
  readonly name: string;
  readonly blob: Blob;
  readonly bytes: number;
  readonly etag: string | null;
  /** By this tablet's clock, ms since the epoch. */
  readonly at: number;
  readonly origin: string;
  /** Hash that was checked; absent or null if none was known. */
  readonly sha256?: string | null;
}

/** Bytes of a pack that is not complete, in the order of `index`. */
interface PackPartRow {
  readonly name: string;
  readonly index: number;
  readonly blob: Blob;
  /** Version of the file: parts of two are never joined. */
  readonly etag: string;
  /** Bytes of the whole file; null if the server did not say. */
  readonly total: number | null;
}

/** Beginning of a file that was downloaded so far. */
export interface PartialPack {
  readonly name: string;
  readonly etag: string;
  readonly total: number | null;
  readonly bytes: number;
  /** Index of the next part. */
  readonly next: number;
  readonly blobs: readonly Blob[];
}

export interface PackTables {
  readonly packs: EntityTable<PackRow, 'name'>;
  readonly packParts: Table<PackPartRow, [name: string, index: number]>;
}

/** Downloaded files and the beginnings of further ones. Every method throws as IndexedDB does, also if space is out. */
export class PackStore {
  readonly #db: Dexie & PackTables;

  constructor(db: Dexie & PackTables) {
    this.#db = db;
  }

  get(name: string): Promise<PackRow | undefined> {
    return this.#db.packs.get(name);
  }

  async list(): Promise<readonly Omit<PackRow, 'blob'>[]> {
    return (await this.#db.packs.toArray()).map(({ blob: _blob, ...row }) => row);
  }

  /** Stores a complete pack in place of an older one and of its parts. */
  async store(row: PackRow): Promise<void> {
    await this.#db.transaction('rw', this.#db.packs, this.#db.packParts, async () => {
      await this.#db.packs.put(row);
      await this.#parts(row.name).delete();
    });
  }

  /** Parts of one version; those of another one, or with a gap between them, do not count. */
  async getPartial(name: string): Promise<PartialPack | undefined> {
    const parts = await this.#parts(name).sortBy('index');
    const [first] = parts;
    if (first === undefined || parts.some(({ index, etag }, n) => index !== n || etag !== first.etag)) return undefined;
    const blobs = parts.map(({ blob }) => blob);
    return {
      name,
      etag: first.etag,
      total: first.total,
      bytes: blobs.reduce((sum, { size }) => sum + size, 0),
      next: parts.length,
      blobs,
    };
  }

  /** Names of packs with parts. */
  async listPartial(): Promise<readonly string[]> {
    return [...new Set((await this.#db.packParts.toArray()).map(({ name }) => name))];
  }

  async storePart(row: PackPartRow): Promise<void> {
    await this.#db.packParts.put(row);
  }

  async deleteParts(name: string): Promise<void> {
    await this.#parts(name).delete();
  }

  async delete(name: string): Promise<void> {
    await this.#db.transaction('rw', this.#db.packs, this.#db.packParts, async () => {
      await this.#db.packs.delete(name);
      await this.#parts(name).delete();
    });
  }

  #parts(name: string) {
    return this.#db.packParts.where('name').equals(name);
  }
}
