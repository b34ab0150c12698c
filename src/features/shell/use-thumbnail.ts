import { useEffect, useState } from 'react';
import type { ImageRepository } from '../../data/repositories';
import type { Sha256 } from '../../domain/ids';

/** Object URL of the thumbnail of a photograph on this tablet; null until it is read, or if there is none. */
export function useThumbnail(images: Pick<ImageRepository, 'thumbnail'>, sha256: Sha256 | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (sha256 === null) return undefined;
    let isOver = false;
    let made: string | undefined;
    images.thumbnail(sha256).then(
      (picture) => {
        if (isOver || picture === null) return;
        made = URL.createObjectURL(picture);
        setUrl(made);
      },
      (error: unknown) => console.warn('A preview could not be read; the photograph itself is untouched.', error),
    );
    return () => {
      isOver = true;
      setUrl(null);
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [images, sha256]);
  return url;
}
