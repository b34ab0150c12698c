import { randomBytes } from 'node:crypto';
import { ImageLinks } from '../../src/server/variants/image-links';
import type { BoxState } from '../store/box-state';

const SECRET_KEY = 'images.secret';

/** Opens the addresses of pictures with the box's own secret. */
export function openImageLinks(state: BoxState): ImageLinks {
  return new ImageLinks(toBuffer(state.settingOrCreate(SECRET_KEY, newSecret)));
}

/** Makes the addresses invalid that were shown so far: they open without a session. */
export function renewImageLinks(state: BoxState, links: ImageLinks): void {
  const secret = newSecret();
  state.setSetting(SECRET_KEY, secret);
  links.setSecret(toBuffer(secret));
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function toBuffer(secret: string): Buffer {
  return Buffer.from(secret, 'base64url');
}
