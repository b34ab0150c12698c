import type { WireError } from '../../domain/errors';
import type { NoPreviewReason } from '../../domain/image/image';
import type { Quality } from '../../domain/image/quality';

/** What the worker reads out of a photograph, before anything is stored. */
export interface PhotographFacts {
  /** Lower-case hex SHA-256 of all bytes. */
  readonly sha256: string;
  readonly bytes: number;
  /** Media type by the first bytes; what the file's name says does not count. */
  readonly type: string;
  /** Pixels as the camera stored them; null where the picture could not be decoded. */
  readonly size: { readonly width: number; readonly height: number } | null;
  readonly camera: CameraFacts;
  /**
   * A picture of at most 800 px with a thumbnail of at most 320 px for lists; none for what the browser cannot decode (HEIC,
   * truncated) or should not (very large).
   */
  readonly preview:
    | { readonly state: 'made'; readonly picture: Blob; readonly thumbnail?: Blob }
    | { readonly state: 'none'; readonly reason: NoPreviewReason };
  /** Figures for the hints; absent where there is no preview. */
  readonly quality?: Quality;
  /** UTC in ms by the box's clock code in the picture. */
  readonly boxClockMs?: number;
}

/** What EXIF says; a member is absent where the file does not. */
export interface CameraFacts {
  /** ISO 8601. Without a zone in the file it ends without `Z`: the camera's own clock. */
  readonly takenAt?: string;
  readonly make?: string;
  readonly model?: string;
  readonly orientation?: number;
  /** Degrees; metres, negative below the sea. */
  readonly position?: { readonly lat: number; readonly lng: number; readonly altitude?: number };
}

/** Reads photographs away from the screen's thread. */
export interface PhotographReader {
  /**
   * @throws ReefError `unsupported-media` for what is no photograph by its first bytes, `unreadable-file` where the file
   *   changed or went away meanwhile, `too-large`; the signal's reason
   */
  readonly read: (file: Blob, signal?: AbortSignal) => Promise<PhotographFacts>;
  /** How many are read at the same time; more wait for their turn. */
  readonly concurrency: number;
}

/** The longer side of a preview. */
export const PREVIEW_PIXELS = 800;
/** The longer side of a thumbnail: sixty of them on a screen take a sixth of the memory that previews would. */
export const THUMBNAIL_PIXELS = 320;

/** What crosses between the page and the worker: errors as data, since a thrown one would lose its code. */
export type Answer<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: WireError };

export interface PhotographWorkerApi {
  readonly read: (file: Blob) => Promise<Answer<PhotographFacts>>;
  /** Lower-case hex SHA-256. */
  readonly hash: (blob: Blob) => Promise<Answer<string>>;
}
