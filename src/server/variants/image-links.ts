import { createHmac, timingSafeEqual } from 'node:crypto';

/** The fields `token` and `url` of an image (1§3), which the server owns: what a page needs to show it at a size. */
export interface ImageLink {
  readonly token: string;
  readonly url: string;
}

/** What an address names. */
export interface LinkedImage {
  readonly imageId: string;
  /** The version whose colours were corrected. */
  readonly isCorrected: boolean;
}

/**
 * Addresses of size variants. The token is an HMAC of the image's id, so that whoever was shown the image may load its
 * picture (an `<img>` sends no session), and nobody finds pictures by trying ids.
 */
export class ImageLinks {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  linkFor(imageId: string): ImageLink {
    return { token: this.#token(`image ${imageId}`), url: `${imageId}.webp` };
  }

  /** Of the version with corrected colours (1§3 `color_corrected`). */
  correctedLinkFor(imageId: string): ImageLink {
    return { token: this.#token(`corrected ${imageId}`), url: `${imageId}-corrected.webp` };
  }

  /** The image that an address names, or undefined when the token is not the one for it. */
  resolve({ token, url }: ImageLink): LinkedImage | undefined {
    const found = /^([0-9A-Za-z]{12,19})(-corrected)?\.webp$/.exec(url);
    const imageId = found?.[1];
    if (imageId === undefined) return undefined;
    const isCorrected = found?.[2] !== undefined;
    const right = Buffer.from(isCorrected ? this.correctedLinkFor(imageId).token : this.linkFor(imageId).token);
    const given = Buffer.from(token);
    return given.length === right.length && timingSafeEqual(given, right) ? { imageId, isCorrected } : undefined;
  }

  #token(of: string): string {
    return createHmac('sha256', this.#secret).update(of).digest('base64url').slice(0, 32);
  }
}
