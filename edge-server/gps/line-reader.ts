/** Longer than any sentence with its tag block (82 and 80 signs), and than any report of gpsd that we read. */
const LINE_BYTES_MAX = 4096;

/** What was found: a line without its end, or one that was longer than is kept. */
export type Line = { readonly text: string } | { readonly tooLong: true };

/**
 * Lines out of chunks of bytes, however these are cut. Memory is bounded: what goes on without a line end is dropped up to
 * the next one. Bytes beyond ASCII come out as some sign that no sentence has.
 */
export class LineReader {
  #buffer = '';
  #isDropping = false;

  /** The lines that this chunk completes; blank ones are left out. */
  read(chunk: Uint8Array): Line[] {
    const pieces = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      .toString('latin1')
      .split(/[\r\n]+/);
    const lines: Line[] = [];
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      this.#append(piece);
      if (this.#isDropping) lines.push({ tooLong: true });
      else if (this.#buffer !== '') lines.push({ text: this.#buffer });
      this.#buffer = '';
      this.#isDropping = false;
    }
    this.#append(last);
    return lines;
  }

  /** What stands without a line end, for example at the end of a datagram. */
  flush(): Line[] {
    return this.read(Buffer.from('\n'));
  }

  #append(piece: string): void {
    if (this.#isDropping) return;
    this.#buffer += piece;
    if (this.#buffer.length <= LINE_BYTES_MAX) return;
    this.#buffer = '';
    this.#isDropping = true;
  }
}
