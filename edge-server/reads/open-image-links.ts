import { randomBytes } from 'node:crypto';
import { ImageLinks } from '../../src/server/variants/image-links';
import type { BoxState } from '../store/box-state';

/** Opens the addresses of pictures with the box's own secret. */
export function openImageLinks(state: BoxState): ImageLinks {
  return new ImageLinks(
    Buffer.from(
      state.settingOrCreate('images.secret', () => randomBytes(32).toString('base64url')),
      'base64url',
    ),
  );
}
