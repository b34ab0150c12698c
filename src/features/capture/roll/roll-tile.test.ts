import { expect, test } from 'vitest';
import type { Sha256 } from '../../../domain/ids';
import { TilePicture } from './RollTile';

test('3§2 another photograph gets a new element in its tile, the same one keeps it', () => {
  const picture = (letter: string, url: string) => TilePicture({ sha256: letter.repeat(64) as Sha256, url });
  expect(picture('a', 'blob:1').key).not.toBe(picture('b', 'blob:1').key);
  expect(picture('a', 'blob:1').key).toBe(picture('a', 'blob:2').key);
});
