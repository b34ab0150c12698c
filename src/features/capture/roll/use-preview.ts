import { useEffect, useState } from 'react';
import type { ImageRepository, PhotographView } from '../../../data/repositories';
import { PreviewCache } from '../preview-cache';
import { rollScrollSpeed } from './scroll-speed';

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
    }, images.boxAnswers),
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
