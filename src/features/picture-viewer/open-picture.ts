import { pictureTiles } from '../../workers/picture-tiles/picture-tiles';
import type { PictureTiles } from '../../workers/picture-tiles/picture-tiles.api';
import type { PictureVersion } from './picture-source';
import { PictureSource, createTileCache } from './picture-source';
import type { ViewedPicture } from './viewer.types';

/** Sizes loaded first and on zooming in, px. */
export const FIRST_SIZE = 2000;
export const FINEST_SIZE = 4000;
/** Time that a prepared picture is kept for a viewer, ms. */
const PREPARED_MS = 60_000;

/** Tiles of one picture: where they are decoded and kept, and who draws them. */
export interface TilePipeline {
  readonly tiles: PictureTiles;
  readonly cache: ReturnType<typeof createTileCache>;
  readonly onSharper: () => void;
  /** Set by the viewer that shows the picture. */
  redraw: () => void;
}

interface OpeningPicture {
  readonly pipeline: TilePipeline;
  readonly opening: Promise<PictureSource>;
  /** Set once it is open. */
  opened: PictureSource | null;
}

let prepared:
  | { readonly picture: OpeningPicture; readonly key: string; readonly expiry: ReturnType<typeof setTimeout> }
  | undefined;

/**
 * Decodes a picture that is likely to be shown next, for the next viewer of its key. One is kept, for a minute: its
 * overview, 2 MB, and a worker that ends when idle.
 */
export function preparePicture(picture: ViewedPicture): void {
  if (prepared?.key === picture.key) return;
  dropPrepared();
  const made = openPicture(picture);
  // A viewer opens it again and reports the reason.
  made.opening.catch(() => {
    if (prepared?.picture === made) dropPrepared();
  });
  prepared = { picture: made, key: picture.key, expiry: setTimeout(dropPrepared, PREPARED_MS) };
}

/** Opens a picture for a viewer, which closes it and stops its tiles; a prepared one is open already. */
export function takePicture(picture: ViewedPicture): OpeningPicture {
  if (prepared?.key !== picture.key) return openPicture(picture);
  const { picture: taken, expiry } = prepared;
  clearTimeout(expiry);
  prepared = undefined;
  return taken;
}

function dropPrepared(): void {
  if (prepared === undefined) return;
  const { picture, expiry } = prepared;
  const { pipeline, opening } = picture;
  prepared = undefined;
  clearTimeout(expiry);
  opening.then((source) => source.close()).catch(() => undefined);
  pipeline.tiles.stop();
}

function openPicture(picture: ViewedPicture): OpeningPicture {
  const pipeline: TilePipeline = {
    tiles: pictureTiles(),
    cache: createTileCache(),
    onSharper: () => pipeline.redraw(),
    redraw: () => undefined,
  };
  const opening = openPlain(pipeline, picture);
  const made: OpeningPicture = { pipeline, opening, opened: null };
  // The callers report why it did not open.
  opening.then((source) => (made.opened = source)).catch(() => undefined);
  return made;
}

async function openPlain(pipeline: TilePipeline, picture: ViewedPicture): Promise<PictureSource> {
  const first = await picture.open(FIRST_SIZE);
  const more = async (): Promise<PictureVersion | null> => {
    if (first.size === 'original' || first.size === FINEST_SIZE) return null;
    const { blob, size } = await picture.open(FINEST_SIZE);
    return { id: `${picture.key} finer`, blob, isCorrected: false, madeAt: size };
  };
  return PictureSource.open({
    ...pipeline,
    source: { id: picture.key, blob: first.blob, isCorrected: false, madeAt: first.size },
    loadFiner: more,
  });
}
