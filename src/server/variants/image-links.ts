import { createHmac, timingSafeEqual } from 'node:crypto';

/** Fields `token` and `url` of an image (1§3), owned by the server. */
interface ImageLink {
  readonly token: string;
  readonly url: string;
}

interface LinkedImage {
  readonly imageId: string;
  /** True for the colour-corrected version. */
  readonly isCorrected: boolean;
}

/**
 * Addresses of size variants. The token is an HMAC of the image's id: anyone who was shown the image may load it (an
 * `<img>` sends no session), and no one finds images by guessing ids.
 */
export class ImageLinks {
  #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** Makes all earlier addresses invalid. */
  setSecret(secret: Buffer): void {
    this.#secret = secret;
  }

  linkFor(imageId: string): ImageLink {
    return { token: this.#token(`image ${imageId}`), url: `${imageId}.webp` };
  }

  /** Link of the colour-corrected version (1§3 `color_corrected`). */
  correctedLinkFor(imageId: string): ImageLink {
    return { token: this.#token(`corrected ${imageId}`), url: `${imageId}-corrected.webp` };
  }

  /** Image of an address, or undefined if the token is wrong. */
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
