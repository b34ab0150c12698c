import type { WireError } from '../domain/errors';
import type { NoPreviewReason } from '../domain/image/image';

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
  /** A picture of at most 800 px; none for what the browser cannot decode (HEIC, truncated) or should not (very large). */
  readonly preview: { readonly state: 'made'; readonly picture: Blob } | { readonly state: 'none'; readonly reason: NoPreviewReason };
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
  /** @throws ReefError `unsupported-media` for what is no photograph by its first bytes, `too-large`; the signal's reason */
  readonly read: (file: Blob, signal?: AbortSignal) => Promise<PhotographFacts>;
}

/** The longer side of a preview. */
export const PREVIEW_PIXELS = 800;

/** What crosses between the page and the worker: errors as data, since a thrown one would lose its code. */
export type PhotographAnswer = { readonly ok: true; readonly facts: PhotographFacts } | { readonly ok: false; readonly error: WireError };

export interface PhotographWorkerApi {
  readonly read: (file: Blob) => Promise<PhotographAnswer>;
}
