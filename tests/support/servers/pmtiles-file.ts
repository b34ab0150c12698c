import type { RangeResponse, Source } from 'pmtiles';

/** In-memory archive for the reader of the pmtiles package. */
export class BytesSource implements Source {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  getKey(): string {
    return 'memory';
  }

  getBytes(offset: number, length: number): Promise<RangeResponse> {
    return Promise.resolve({ data: Uint8Array.from(this.#bytes.subarray(offset, offset + length)).buffer });
  }
}
