import { createHmac, randomBytes } from 'node:crypto';
import type { BoxState } from './box-state';
import { sameText } from './pairing';

/** The fields `token` and `url` of an image (1§3), which the server owns: what a page needs to show it at a size. */
export interface ImageLink {
  readonly token: string;
  readonly url: string;
}

/**
 * Addresses of size variants. The token is an HMAC of the image's id, so that whoever was shown the image may load its
 * picture (an `<img>` sends no session), and nobody finds pictures by trying ids.
 */
export class ImageLinks {
  readonly #secret: Buffer;

  constructor(state: BoxState) {
    this.#secret = Buffer.from(state.settingOr('images.secret', () => randomBytes(32).toString('base64url')), 'base64url');
  }

  of(imageId: string): ImageLink {
    return { token: this.#token(imageId), url: `${imageId}.webp` };
  }

  /** The image that an address names, or undefined when the token is not the one for it. */
  imageOf({ token, url }: ImageLink): string | undefined {
    const imageId = /^([0-9A-Za-z]{12,19})\.webp$/.exec(url)?.[1];
    return imageId !== undefined && sameText(token, this.#token(imageId)) ? imageId : undefined;
  }

  #token(imageId: string): string {
    return createHmac('sha256', this.#secret).update(`image ${imageId}`).digest('base64url').slice(0, 32);
  }
}
