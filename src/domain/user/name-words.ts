import { plainText } from '../reef/plain-text';

const LENGTH_MAX = 200;

/** Words of a name, or of a search for one: lower case, without accents, in any script; empty without a letter or digit. */
export function nameWords(text: string): readonly string[] {
  const plain = plainText(text, /[^\p{L}\p{N}]+/gu).slice(0, LENGTH_MAX);
  return plain.split(' ').filter((word) => word !== '');
}
