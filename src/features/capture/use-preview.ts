import { useEffect, useRef, useState, type RefObject } from 'react';
import type { ImageRepository, PhotographView } from '../../data/repositories';

/**
 * The address of a photograph's preview, read once its row comes near the screen: a survey has 500 of them. Null before
 * that and where there is none.
 */
export function usePreview<Place extends Element>(images: ImageRepository, photograph: PhotographView): { readonly place: RefObject<Place | null>; readonly url: string | null } {
  const place = useRef<Place>(null);
  const [url, setUrl] = useState<string | null>(null);
  const { sha256, preview } = photograph;
  useEffect(() => {
    if (preview !== 'here' || place.current === null) return undefined;
    let made: string | null = null;
    let gone = false;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        images.preview(sha256).then(
          (blob) => {
            if (gone || blob === null) return;
            made = URL.createObjectURL(blob);
            setUrl(made);
          },
          (error: unknown) => console.warn('A preview could not be read; the photograph itself is untouched.', error),
        );
      },
      { rootMargin: '400px' },
    );
    observer.observe(place.current);
    return () => {
      gone = true;
      observer.disconnect();
      if (made !== null) URL.revokeObjectURL(made);
      setUrl(null);
    };
  }, [images, sha256, preview]);
  return { place, url };
}
