import { useEffect, useState } from 'react';
import type { ImageRepository, PhotographView } from '../../../data/repositories';
import { rollScrollSpeed } from './scroll-speed';

/** Pictures kept after their tile scrolled away, so that a little way back costs nothing. */
const CACHED_MAX = 120;

interface CacheEntry {
  users: number;
  url: string | null;
  readonly listeners: Set<(url: string) => void>;
}

/**
 * The previews that are on screen, as object URLs: each is read once, shared by all tiles that show it, and released
 * when it has been off screen for a while. A blob that is never released stays in memory as long as the page.
 */
class PreviewCache {
  /** In the order of their last use. */
  readonly #entries = new Map<string, CacheEntry>();

  readonly #fetchPicture: (key: string) => Promise<Blob | null>;

  constructor(picture: (key: string) => Promise<Blob | null>) {
    this.#fetchPicture = picture;
  }

  /** The URL where it is read already. */
  loadedUrl(key: string): string | null {
    return this.#entries.get(key)?.url ?? null;
  }

  /** Calls back with the URL; gives the way to let go of it. */
  retain(key: string, listener: (url: string) => void): () => void {
    const entry = this.#entries.get(key) ?? this.#load(key);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users++;
    if (entry.url === null) entry.listeners.add(listener);
    else listener(entry.url);
    return () => {
      entry.listeners.delete(listener);
      entry.users--;
      this.#evictUnused();
    };
  }

  #load(key: string): CacheEntry {
    const entry: CacheEntry = { users: 0, url: null, listeners: new Set() };
    this.#fetchPicture(key).then(
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

  #evictUnused(): void {
    if (this.#entries.size <= CACHED_MAX) return;
    for (const [sha256, entry] of this.#entries) {
      if (this.#entries.size <= CACHED_MAX) return;
      if (entry.users > 0) continue;
      this.#entries.delete(sha256);
      if (entry.url !== null) URL.revokeObjectURL(entry.url);
    }
  }
}

/** Tiles show thumbnails: sixty previews on a screen would take a hundred megabytes once decoded. */
type PreviewSize = 'thumbnail' | 'preview';

/** By hash what lies here, by id what the box shows of another tablet's. */
type PreviewCaches = Readonly<Record<PreviewSize | 'elsewhere', PreviewCache>>;

const cachesByRepository = new WeakMap<ImageRepository, PreviewCaches>();

function previewCachesOf(images: ImageRepository): PreviewCaches {
  const existing = cachesByRepository.get(images);
  if (existing !== undefined) return existing;
  const created = {
    thumbnail: new PreviewCache((sha256) => images.thumbnail(sha256 as PhotographView['sha256'])),
    preview: new PreviewCache((sha256) => images.preview(sha256 as PhotographView['sha256'])),
    elsewhere: new PreviewCache((id) => images.remotePreview(id as PhotographView['id'])),
  };
  cachesByRepository.set(images, created);
  return created;
}

/** Reading waits this long, so that tiles that fly past while scrolling are not read, ms. */
const SETTLE_MS = 60;

/** The address of a photograph's preview while its tile is there; null until it is read and where there is none. */
export function usePreview(
  images: ImageRepository,
  photograph: Pick<PhotographView, 'id' | 'sha256' | 'preview' | 'custody'>,
  size: PreviewSize = 'thumbnail',
): string | null {
  const { id, sha256, preview, custody } = photograph;
  const cache = previewCachesOf(images)[preview === 'elsewhere' ? 'elsewhere' : size];
  // Its bytes are on no box while only the tablet that added it has them.
  const isAvailable = preview === 'here' || (preview === 'elsewhere' && custody.status !== 'tablet');
  const key = preview === 'elsewhere' ? id : sha256;
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly url: string } | null>(null);
  useEffect(() => {
    if (!isAvailable) return undefined;
    let release: (() => void) | undefined;
    const start = (): void => {
      release = cache.retain(key, (url) => setLoaded({ key, url }));
    };
    let cancelWait: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (cache.loadedUrl(key) !== null) start();
    else if (rollScrollSpeed.isScrollingFast) cancelWait = rollScrollSpeed.whenSlow(start);
    else timer = setTimeout(() => (cancelWait = rollScrollSpeed.whenSlow(start)), SETTLE_MS);
    return () => {
      clearTimeout(timer);
      cancelWait?.();
      release?.();
    };
  }, [cache, key, isAvailable]);
  if (!isAvailable) return null;
  return loaded?.key === key ? loaded.url : cache.loadedUrl(key);
}
