import { Emitter } from '../../../base/emitter';
import { useEffect, useState } from 'react';
import type { ImageRepository, PhotographView } from '../../../data/repositories';
import { rollScrollSpeed } from './scroll-speed';

/** Pictures cached off screen, for scrolling back. */
const CACHED_MAX = 120;

interface CacheEntry {
  users: number;
  url: string | null;
  readonly loaded: Emitter<string>;
}

/** Shared previews as object URLs, revoked after a while off screen: an unrevoked URL retains its blob. */
class PreviewCache {
  /** In order of last use. */
  readonly #entries = new Map<string, CacheEntry>();

  readonly #fetchPicture: (key: string) => Promise<Blob | null>;

  constructor(picture: (key: string) => Promise<Blob | null>) {
    this.#fetchPicture = picture;
  }

  loadedUrl(key: string): string | null {
    return this.#entries.get(key)?.url ?? null;
  }

  /** Calls back with the URL. Returns a function that releases it. */
  retain(key: string, listener: (url: string) => void): () => void {
    const entry = this.#entries.get(key) ?? this.#load(key);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users++;
    const stop = entry.loaded.subscribe(listener);
    if (entry.url !== null) listener(entry.url);
    return () => {
      stop();
      entry.users--;
      this.#evictUnused();
    };
  }

  #load(key: string): CacheEntry {
    const entry: CacheEntry = { users: 0, url: null, loaded: new Emitter() };
    this.#fetchPicture(key).then(
      (blob) => {
        // Evicted since.
        if (this.#entries.get(key) !== entry) return;
        // A preview may exist later: the next use reads again.
        if (blob === null) {
          this.#entries.delete(key);
          return;
        }
        const url = URL.createObjectURL(blob);
        entry.url = url;
        entry.loaded.emit(url);
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

/** Sixty decoded previews would take a hundred megabytes. */
type PreviewSize = 'thumbnail' | 'preview';

/** By hash if local, by id and hash if served by the box. */
type PreviewCaches = Readonly<Record<PreviewSize | 'box', PreviewCache>>;

const cachesByRepository = new WeakMap<ImageRepository, PreviewCaches>();

function previewCachesOf(images: ImageRepository): PreviewCaches {
  const existing = cachesByRepository.get(images);
  if (existing !== undefined) return existing;
  const created = {
    thumbnail: new PreviewCache((sha256) => images.thumbnail(sha256 as PhotographView['sha256'])),
    preview: new PreviewCache((sha256) => images.preview(sha256 as PhotographView['sha256'])),
    box: new PreviewCache((key) => {
      const [id, sha256] = key.split(' ') as [PhotographView['id'], PhotographView['sha256']];
      return images.boxPreview({ id, sha256 });
    }),
  };
  cachesByRepository.set(images, created);
  return created;
}

/** Delay before reading, ms: tiles that fly past are not read. */
const SETTLE_MS = 60;

/** Preview URL; null until read, or if there is none. */
export function usePreview(
  images: ImageRepository,
  photograph: Pick<PhotographView, 'id' | 'sha256' | 'preview' | 'custody'>,
  size: PreviewSize = 'thumbnail',
): string | null {
  const { id, sha256, preview, custody } = photograph;
  const isHere = preview === 'here';
  const cache = previewCachesOf(images)[isHere ? size : 'box'];
  // Not on any box yet.
  const isAvailable = isHere || custody.status !== 'tablet';
  const key = isHere ? sha256 : `${id} ${sha256}`;
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
