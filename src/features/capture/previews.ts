import { useEffect, useState } from 'react';
import type { ImageRepository, PhotographView } from '../../data/repositories';
import { pass } from './pass';

/** Pictures kept after their tile scrolled away, so that a little way back costs nothing. */
const KEPT = 120;

interface Entry {
  users: number;
  url: string | null;
  readonly listeners: Set<(url: string) => void>;
}

/**
 * The previews that are on screen, as object URLs: each is read once, shared by all tiles that show it, and released
 * when it has been off screen for a while. A blob that is never released stays in memory as long as the page.
 */
class PreviewShelf {
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();

  readonly #picture: (key: string) => Promise<Blob | null>;

  constructor(picture: (key: string) => Promise<Blob | null>) {
    this.#picture = picture;
  }

  /** The URL where it is read already. */
  now(key: string): string | null {
    return this.#entries.get(key)?.url ?? null;
  }

  /** Calls back with the URL; gives the way to let go of it. */
  use(key: string, listener: (url: string) => void): () => void {
    const entry = this.#entries.get(key) ?? this.#read(key);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users++;
    if (entry.url === null) entry.listeners.add(listener);
    else listener(entry.url);
    return () => {
      entry.listeners.delete(listener);
      entry.users--;
      this.#trim();
    };
  }

  #read(key: string): Entry {
    const entry: Entry = { users: 0, url: null, listeners: new Set() };
    this.#picture(key).then(
      (blob) => {
        // Let go of meanwhile.
        if (this.#entries.get(key) !== entry) return;
        // There may be one later: whoever comes next asks again.
        if (blob === null) {
          this.#entries.delete(key);
          return;
        }
        const url = URL.createObjectURL(blob);
        entry.url = url;
        for (const listener of entry.listeners) listener(url);
        entry.listeners.clear();
      },
      (error: unknown) => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
        console.warn('A preview could not be read; the photograph itself is untouched.', error);
      },
    );
    return entry;
  }

  #trim(): void {
    if (this.#entries.size <= KEPT) return;
    for (const [sha256, entry] of this.#entries) {
      if (this.#entries.size <= KEPT) return;
      if (entry.users > 0) continue;
      this.#entries.delete(sha256);
      if (entry.url !== null) URL.revokeObjectURL(entry.url);
    }
  }
}

/** Tiles show thumbnails: sixty previews on a screen would take a hundred megabytes once decoded. */
type Size = 'thumbnail' | 'preview';

/** By hash what lies here, by id what the box shows of another tablet's. */
type Shelves = Readonly<Record<Size | 'elsewhere', PreviewShelf>>;

const shelves = new WeakMap<ImageRepository, Shelves>();

function shelvesOf(images: ImageRepository): Shelves {
  const known = shelves.get(images);
  if (known !== undefined) return known;
  const made = {
    thumbnail: new PreviewShelf((sha256) => images.thumbnail(sha256 as PhotographView['sha256'])),
    preview: new PreviewShelf((sha256) => images.preview(sha256 as PhotographView['sha256'])),
    elsewhere: new PreviewShelf((id) => images.remotePreview(id as PhotographView['id'])),
  };
  shelves.set(images, made);
  return made;
}

/** Reading waits this long, so that tiles that fly past while scrolling are not read, ms. */
const SETTLE_MS = 60;

/** The address of a photograph's preview while its tile is there; null until it is read and where there is none. */
export function usePreview(
  images: ImageRepository,
  photograph: Pick<PhotographView, 'id' | 'sha256' | 'preview' | 'custody'>,
  size: Size = 'thumbnail',
): string | null {
  const { id, sha256, preview, custody } = photograph;
  const shelf = shelvesOf(images)[preview === 'elsewhere' ? 'elsewhere' : size];
  // Its bytes are on no box while only the tablet that added it has them.
  const isThere = preview === 'here' || (preview === 'elsewhere' && custody.at !== 'tablet');
  const key = preview === 'elsewhere' ? id : sha256;
  const [read, setRead] = useState<{ readonly key: string; readonly url: string } | null>(null);
  useEffect(() => {
    if (!isThere) return undefined;
    let letGo: (() => void) | undefined;
    const begin = (): void => {
      letGo = shelf.use(key, (url) => setRead({ key, url }));
    };
    let callOff: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (shelf.now(key) !== null) begin();
    else if (pass.isFlying) callOff = pass.whenSlow(begin);
    else timer = setTimeout(() => (callOff = pass.whenSlow(begin)), SETTLE_MS);
    return () => {
      clearTimeout(timer);
      callOff?.();
      letGo?.();
    };
  }, [shelf, key, isThere]);
  if (!isThere) return null;
  return read?.key === key ? read.url : shelf.now(key);
}
