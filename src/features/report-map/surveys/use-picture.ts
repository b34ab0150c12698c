import { useEffect, useState } from 'react';
import type { ReportImage, ReportRepository } from '../../../data/repositories';

type PictureSize = Parameters<ReportRepository['picture']>[1];

type Picture =
  | { readonly status: 'reading' }
  | { readonly status: 'shown'; readonly url: string }
  | { readonly status: 'failed'; readonly message: string };

/**
 * Picture of an image as an object URL, revoked when it is no longer shown.
 *
 * @param sizes in order: each takes the place of the one before. Must not change.
 */
export function usePicture(
  report: Pick<ReportRepository, 'picture'>,
  image: ReportImage | undefined,
  sizes: readonly PictureSize[],
): Picture {
  const [picture, setPicture] = useState<Picture>({ status: 'reading' });
  useEffect(() => {
    if (image === undefined) return undefined;
    let isOver = false;
    const urls: string[] = [];
    const load = async (): Promise<void> => {
      for (const size of sizes) {
        const blob = await report.picture(image, size);
        if (isOver) return;
        const url = URL.createObjectURL(blob);
        urls.push(url);
        setPicture({ status: 'shown', url });
      }
    };
    load().catch((error: unknown) => {
      // A small picture that is shown stays.
      if (!isOver && urls.length === 0)
        setPicture({ status: 'failed', message: error instanceof Error ? error.message : String(error) });
    });
    return () => {
      isOver = true;
      setPicture({ status: 'reading' });
      urls.forEach((url) => URL.revokeObjectURL(url));
    };
  }, [report, image, sizes]);
  return picture;
}
