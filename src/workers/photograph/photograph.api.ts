import type { WireError } from '../../domain/errors';
import type { NoPreviewReason } from '../../domain/image/image';
import type { Quality } from '../../domain/image/quality';

export interface PhotographFacts {
  /** Lower-case hex SHA-256 of all bytes. */
  readonly sha256: string;
  readonly bytes: number;
  /** Media type by the first bytes; the file name does not count. */
  readonly type: string;
  /** Pixels as the camera stored them; null if the picture could not be decoded. */
  readonly size: { readonly width: number; readonly height: number } | null;
  readonly camera: CameraFacts;
  /**
   * Preview of at most 800 px and thumbnail of at most 320 px; none if the browser cannot decode the file (HEIC,
   * truncated) or should not (very large).
   */
  readonly preview:
    | { readonly state: 'made'; readonly picture: Blob; readonly thumbnail?: Blob }
    | { readonly state: 'none'; readonly reason: NoPreviewReason };
  /** Absent without a preview. */
  readonly quality?: Quality;
  /** UTC in ms from the box's clock code in the picture. */
  readonly boxClockMs?: number;
}

/** EXIF; members absent from the file are absent here. */
export interface CameraFacts {
  /** ISO 8601. Without a zone in the file it ends without `Z`: the camera's own clock. */
  readonly takenAt?: string;
  readonly make?: string;
  readonly model?: string;
  readonly orientation?: number;
  /** Degrees; metres, negative below the sea. */
  readonly position?: { readonly lat: number; readonly lng: number; readonly altitude?: number };
}

export interface PhotographReader {
  /**
   * @throws ReefError `unsupported-media` by the first bytes, `unreadable-file` if the file changed or disappeared,
   * `too-large`; the signal's reason
   */
  readonly read: (file: Blob, signal?: AbortSignal) => Promise<PhotographFacts>;
  /** Number of photographs read concurrently; more are queued. */
  readonly concurrency: number;
}

/** Longer side of a preview. */
export const PREVIEW_PIXELS = 800;
/** Longer side of a thumbnail: sixty of them on a screen take a sixth of the memory of previews. */
export const THUMBNAIL_PIXELS = 320;

/** Result between page and worker: a thrown error would lose its code. */
export type Answer<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: WireError };

export interface PhotographWorkerApi {
  readonly read: (file: Blob) => Promise<Answer<PhotographFacts>>;
  /** Lower-case hex SHA-256. */
  readonly hash: (blob: Blob) => Promise<Answer<string>>;
}
