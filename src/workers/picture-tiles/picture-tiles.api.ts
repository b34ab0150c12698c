import type { Answer } from '../photograph/photograph.api';
import type { PictureSize } from '../photograph/picture-size';

/** Longer side to which pictures are decoded at most, px (2§9: "Image sizes 4000, 2000 (ML), 800"). */
export const DECODED_MAX = 4000;
/** Longer side of the overview, shown until tiles are there, px. */
export const OVERVIEW_MAX = 800;

/** Bytes to show. Tiles are cut from the last decoded picture; another `id` is another picture. */
export interface TileSource {
  readonly id: string;
  readonly blob: Blob;
  /** Corrects the colours that water absorbed. */
  readonly isCorrected: boolean;
}

/** px of the decoded picture, and the requested size. */
export interface TileArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly toWidth: number;
  readonly toHeight: number;
}

/** Sizes in px, upright. */
export interface OpenedPicture {
  readonly size: PictureSize;
  readonly shown: PictureSize;
  readonly overview: ImageBitmap;
}

export interface PictureTilesWorkerApi {
  readonly open: (of: TileSource) => Promise<Answer<OpenedPicture>>;
  readonly cut: (of: TileSource, areas: readonly TileArea[]) => Promise<Answer<readonly ImageBitmap[]>>;
}

export interface PictureTiles {
  /** @throws ReefError `unsupported-media` or `unreadable-file`, with a message for the user */
  readonly open: (of: TileSource) => Promise<OpenedPicture>;
  /** Cuts areas, in the order requested. @throws same errors as `open` */
  readonly cut: (of: TileSource, areas: readonly TileArea[]) => Promise<readonly ImageBitmap[]>;
  readonly stop: () => void;
}
