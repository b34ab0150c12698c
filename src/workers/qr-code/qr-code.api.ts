/** Pixels of a canvas: RGBA, one byte each. */
interface RawPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** Finds a QR code in a picture; null if there is none. */
export interface QrCodeReader {
  readonly read: (picture: RawPicture, signal?: AbortSignal) => Promise<string | null>;
  readonly stop: () => void;
}

export interface QrCodeWorkerApi {
  readonly read: (picture: RawPicture) => Promise<string | null>;
}
