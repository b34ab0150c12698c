import type { Answer } from '../photograph/photograph.api';
import type { PictureSize } from '../photograph/picture-size';

/** A picture is decoded to at most so many px on its longer side (2§9: "Image sizes 4000, 2000 (ML), 800"). */
export const DECODED_MAX = 4000;
/** Of the whole picture, for what no tile is there yet; px of the longer side. */
export const OVERVIEW_MAX = 800;

/** Bytes to be shown. Tiles are cut from what was decoded last; another `id` is another picture. */
export interface TileSource {
  readonly id: string;
  readonly blob: Blob;
  /** With the colours that water took, given back on this device. */
  readonly isCorrected: boolean;
}

/** A part of a picture: px of the picture as it was decoded, and the px that it is wanted in. */
export interface TileArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly toWidth: number;
  readonly toHeight: number;
}

/** What a picture is, upright as the camera was held; px. */
export interface OpenedPicture {
  /** At full size. */
  readonly size: PictureSize;
  /** As it was decoded. */
  readonly shown: PictureSize;
  readonly overview: ImageBitmap;
}

export interface PictureTilesWorkerApi {
  readonly open: (of: TileSource) => Promise<Answer<OpenedPicture>>;
  readonly cut: (of: TileSource, areas: readonly TileArea[]) => Promise<Answer<readonly ImageBitmap[]>>;
}

/** Decodes pictures away from the screen's thread. */
export interface PictureTiles {
  /** @throws ReefError `unsupported-media` or `unreadable-file`, in words for a person */
  readonly open: (of: TileSource) => Promise<OpenedPicture>;
  /** In the order asked for. @throws as `look` */
  readonly cut: (of: TileSource, areas: readonly TileArea[]) => Promise<readonly ImageBitmap[]>;
  readonly stop: () => void;
}
