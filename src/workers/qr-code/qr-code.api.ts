/** A picture as a canvas gives it: RGBA, one byte each. */
export interface RawPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** Finds a QR code in a picture; null where there is none. */
export interface QrCodeReader {
  readonly read: (picture: RawPicture, signal?: AbortSignal) => Promise<string | null>;
  readonly stop: () => void;
}

/** What the worker answers. */
export interface QrCodeWorkerApi {
  readonly read: (picture: RawPicture) => Promise<string | null>;
}
