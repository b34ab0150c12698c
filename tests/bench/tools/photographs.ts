import { createHash, randomBytes } from 'node:crypto';

/** Bytes of a bench photograph: a tablet camera's 12 megapixels. */
export const PHOTOGRAPH_BYTES = 4_000_000;

const HEAD_BYTES = 64;
const tail = randomBytes(PHOTOGRAPH_BYTES - HEAD_BYTES);

/** Photograph with unique bytes: a unique head on a shared tail, so that a hundred fit in memory. */
export interface Photograph {
  readonly sha256: string;
  readonly bytes: number;
  /** Buffers to write, in order. */
  readonly parts: readonly [head: Buffer, tail: Buffer];
}

/** Makes photographs that a server accepts as JPEG by their first bytes; each call makes new ones. */
export function makePhotographs(count: number): readonly Photograph[] {
  return Array.from({ length: count }, () => {
    const head = Buffer.concat([
      Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
      randomBytes(HEAD_BYTES),
    ]).subarray(0, HEAD_BYTES);
    const sha256 = createHash('sha256').update(head).update(tail).digest('hex');
    return { sha256, bytes: PHOTOGRAPH_BYTES, parts: [head, tail] };
  });
}
