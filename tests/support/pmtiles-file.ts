import type { RangeResponse, Source } from 'pmtiles';

/** An archive in memory, for the reader of the pmtiles package. */
export class BytesSource implements Source {
  constructor(private readonly bytes: Uint8Array) {}

  getKey(): string {
    return 'memory';
  }

  getBytes(offset: number, length: number): Promise<RangeResponse> {
    return Promise.resolve({ data: Uint8Array.from(this.bytes.subarray(offset, offset + length)).buffer });
  }
}
