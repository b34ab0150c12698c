import type { RefObject } from 'react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { TilePipeline } from './open-picture';
import { FINEST_SIZE, FIRST_SIZE, takePicture } from './open-picture';
import type { PictureVersion } from './picture-source';
import { PictureSource } from './picture-source';
import type { PictureStage } from './picture-stage';
import type { PictureViewerProps } from './viewer.types';

export function usePictureSource(
  stage: RefObject<PictureStage | undefined>,
  latest: RefObject<PictureViewerProps>,
  key: string,
  isCorrected: boolean,
): RefObject<PictureSource | undefined> {
  const shown = useRef<PictureSource>(undefined);
  const plain = useRef<Promise<PictureSource>>(undefined);
  const pipeline = useRef<TilePipeline>(undefined);

  // Keyed by picture; its functions may change with every render.
  useLayoutEffect(() => {
    const on = stage.current;
    const { pipeline: made, opening, opened } = takePicture({ ...latest.current.picture, key });
    made.redraw = () => on?.redraw();
    pipeline.current = made;
    plain.current = opening;
    let isOver = false;
    // Decoded ahead: it is in the first frame, with what lies over it.
    if (opened !== null) on?.showNow((shown.current = opened));
    opening.then(
      (source) => {
        if (isOver) return source.close();
        if (shown.current === undefined) on?.show((shown.current = source));
      },
      (error: unknown) => {
        if (!isOver) latest.current.onFailed(error);
      },
    );
    return () => {
      isOver = true;
      on?.show(undefined);
      shown.current = undefined;
      opening.then((source) => source.close()).catch(() => undefined);
      made.tiles.stop();
    };
  }, [key, stage, latest]);

  useEffect(() => {
    const on = stage.current;
    const made = pipeline.current;
    const opening = plain.current;
    if (!isCorrected || made === undefined || opening === undefined) return undefined;
    let isOver = false;
    let corrected: PictureSource | undefined;
    const open = async (): Promise<void> => {
      const source = await openCorrected(made, latest.current, key, await opening);
      if (isOver) return source.close();
      corrected = source;
      on?.replace((shown.current = source));
    };
    open().catch((error: unknown) => {
      if (!isOver) latest.current.onFailed(error);
    });
    return () => {
      isOver = true;
      if (corrected === undefined) return;
      const leaving = corrected;
      opening.then(
        (source) => {
          if (shown.current === leaving) on?.replace((shown.current = source));
          leaving.close();
        },
        () => leaving.close(),
      );
    };
  }, [key, isCorrected, stage, latest]);

  return shown;
}

/** Opens the stored corrected version; without one, this device corrects. */
async function openCorrected(
  pipeline: TilePipeline,
  { picture }: PictureViewerProps,
  key: string,
  plain: PictureSource,
): Promise<PictureSource> {
  const { size } = plain;
  const stored = await openStored(picture, FIRST_SIZE);
  if (stored !== null) {
    const more = async (): Promise<PictureVersion | null> => {
      const finer =
        stored.size === 'original' || stored.size === FINEST_SIZE ? null : await openStored(picture, FINEST_SIZE);
      return finer === null
        ? null
        : { id: `${key} stored finer`, blob: finer.blob, isCorrected: false, madeAt: finer.size };
    };
    return PictureSource.open({
      ...pipeline,
      size,
      source: { id: `${key} stored`, blob: stored.blob, isCorrected: false, madeAt: stored.size },
      loadFiner: more,
    });
  }
  return PictureSource.open({ ...pipeline, size, ...plain.corrected() });
}

async function openStored(
  picture: PictureViewerProps['picture'],
  size: typeof FIRST_SIZE | typeof FINEST_SIZE,
): Promise<Awaited<ReturnType<NonNullable<PictureViewerProps['picture']['openCorrected']>>>> {
  try {
    return (await picture.openCorrected?.(size)) ?? null;
  } catch (error) {
    console.warn('The stored version with corrected colours could not be read:', error);
    return null;
  }
}
