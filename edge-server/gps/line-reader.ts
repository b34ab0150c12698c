/** Longer than any sentence with its tag block (82 and 80 characters) or gpsd report. */
const LINE_BYTES_MAX = 4096;

export type Line = { readonly text: string } | { readonly tooLong: true };

/**
 * Splits bytes into lines. Bounded memory: an overlong line is dropped up to its end. Bytes beyond ASCII become
 * characters no sentence contains.
 */
export class LineReader {
  #buffer = '';
  #isDropping = false;

  /** Returns the lines that this chunk completes, without blank ones. */
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

  /** Returns the unfinished line, for example at the end of a datagram. */
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
