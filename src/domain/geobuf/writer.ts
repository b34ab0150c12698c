const INITIAL_BYTES = 16_384;
/** Below this a number and its zigzag fit 31 bits. */
const STEP_MAX = 2 ** 30;

/** Writes protocol-buffer fields to one growing buffer. */
export class Writer {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #at = 0;

  /** Returns a copy of the written bytes. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  /** Unsigned number, up to 2^53. */
  varint(value: number): void {
    this.#reserve(10);
    this.#varint(value);
  }

  varintField(tag: number, value: number): void {
    this.varint(tag * 8);
    this.varint(value);
  }

  signedField(tag: number, value: number): void {
    this.varintField(tag, value < 0 ? -value * 2 - 1 : value * 2);
  }

  doubleField(tag: number, value: number): void {
    this.varint(tag * 8 + 1);
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** UTF-8; half a surrogate pair becomes U+FFFD. */
  stringField(tag: number, text: string): void {
    const from = this.begin(tag);
    this.#reserve(text.length * 3);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit < 0x80) {
        bytes[at++] = unit;
        continue;
      }
      const code = text.codePointAt(index) ?? 0;
      if (code >= 0x1_0000) index++;
      this.#at = at;
      if (code < 0x800) this.#put(0xc0 | (code >> 6), 0x80 | (code & 63));
      else if (code >= 0xd800 && code < 0xe000) this.#put(0xef, 0xbf, 0xbd);
      else if (code < 0x1_0000) this.#put(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
      else this.#put(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
      at = this.#at;
    }
    this.#at = at;
    this.end(from);
  }

  /** Begins a length-prefixed field; one byte is reserved for its length. @returns argument of {@link end} */
  begin(tag: number): number {
    this.varint(tag * 8 + 2);
    this.#reserve(1);
    return ++this.#at;
  }

  /** Writes the length of the field and moves its content if one byte is not enough. */
  end(from: number): void {
    const length = this.#at - from;
    if (length <= 0x7f) {
      this.#bytes[from - 1] = length;
      return;
    }
    let more = 0;
    for (let left = length; left > 0x7f; left = Math.floor(left / 128)) more++;
    this.#reserve(more);
    this.#bytes.copyWithin(from + more, from, this.#at);
    this.#at = from - 1;
    this.#varint(length);
    this.#at += length;
  }

  /** Unsigned numbers packed into one field; writes nothing if empty. */
  packedField(tag: number, values: readonly number[]): void {
    if (values.length === 0) return;
    const from = this.begin(tag);
    this.#reserve(values.length * 10);
    for (const value of values) this.#varint(value);
    this.end(from);
  }

  /**
   * Appends the steps between places in units of 1/scale, the first from `0, 0`: two zigzag numbers per place.
   *
   * @param count of places to write
   */
  deltas(line: readonly (readonly number[])[], count: number, scale: number): void {
    this.#reserve(count * 20);
    const bytes = this.#bytes;
    let at = this.#at;
    let x = 0;
    let y = 0;
    for (let index = 0; index < count; index++) {
      const place = line[index];
      const toX = Math.round((place?.[0] ?? 0) * scale);
      const toY = Math.round((place?.[1] ?? 0) * scale);
      const stepX = toX - x;
      const stepY = toY - y;
      // Nearly always both fit 31 bits, so integer arithmetic is enough.
      if (stepX > -STEP_MAX && stepX < STEP_MAX && stepY > -STEP_MAX && stepY < STEP_MAX) {
        let left = (stepX << 1) ^ (stepX >> 31);
        for (; left > 0x7f; left >>>= 7) bytes[at++] = (left & 0x7f) | 0x80;
        bytes[at++] = left;
        left = (stepY << 1) ^ (stepY >> 31);
        for (; left > 0x7f; left >>>= 7) bytes[at++] = (left & 0x7f) | 0x80;
        bytes[at++] = left;
      } else {
        this.#at = at;
        this.#varint(stepX < 0 ? -stepX * 2 - 1 : stepX * 2);
        this.#varint(stepY < 0 ? -stepY * 2 - 1 : stepY * 2);
        at = this.#at;
      }
      x = toX;
      y = toY;
    }
    this.#at = at;
  }

  #put(...bytes: number[]): void {
    for (const byte of bytes) this.#bytes[this.#at++] = byte;
  }

  #varint(value: number): void {
    let left = value;
    while (left >= 2 * STEP_MAX) {
      this.#bytes[this.#at++] = (left % 128) + 0x80;
      left = Math.floor(left / 128);
    }
    for (; left > 0x7f; left >>>= 7) this.#bytes[this.#at++] = (left & 0x7f) | 0x80;
    this.#bytes[this.#at++] = left;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const more = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + bytes));
    more.set(this.#bytes);
    this.#bytes = more;
  }
}
