import { useEffect, useState } from 'react';
import type { ImageRepository, PhotographView } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';

/** Pictures read at a time. */
const CONCURRENCY = 6;
/** Pictures between two updates of the screen. */
const BATCH = 12;

interface SheetPictures {
  /** Object URLs of those that have a picture here or on a box in reach. */
  readonly urls: ReadonlyMap<ImageId, string>;
  /** Number of photographs that were looked up. */
  readonly done: number;
}

const NONE: SheetPictures = { urls: new Map(), done: 0 };

/** Small pictures of all photographs: paper shows them all at once. */
export function useSheetPictures(images: ImageRepository, photographs: readonly PhotographView[]): SheetPictures {
  const [read, setRead] = useState(NONE);
  const key = photographs.map(({ id, sha256, preview }) => `${id} ${sha256} ${preview}`).join();
  const [wanted, setWanted] = useState({ key, photographs });
  // Custody changes while photographs are sent; the pictures stay.
  if (wanted.key !== key) setWanted({ key, photographs });
  useEffect(() => {
    let isOver = false;
    const urls = new Map<ImageId, string>();
    let done = 0;
    setRead(NONE);
    const queue = wanted.photographs.values();
    const readNext = async (): Promise<void> => {
      for (const photograph of queue) {
        const blob = await pictureOf(images, photograph).catch((error: unknown) => {
          console.warn('A preview could not be read; the photograph itself is untouched.', error);
          return null;
        });
        if (isOver) return;
        if (blob !== null) urls.set(photograph.id, URL.createObjectURL(blob));
        done++;
        if (done % BATCH === 0 || done === wanted.photographs.length) setRead({ urls: new Map(urls), done });
      }
    };
    for (let i = 0; i < CONCURRENCY; i++) void readNext();
    return () => {
      isOver = true;
      for (const url of urls.values()) URL.revokeObjectURL(url);
    };
  }, [images, wanted]);
  return read;
}

async function pictureOf(images: ImageRepository, photograph: PhotographView): Promise<Blob | null> {
  if (photograph.preview === 'here') return images.thumbnail(photograph.sha256);
  return photograph.custody.status === 'tablet' ? null : images.boxPreview(photograph);
}
