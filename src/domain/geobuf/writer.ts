const ROOM_FIRST = 1024;

/** Writes protocol-buffer fields one after the other into one growing buffer. */
export class Writer {
  #bytes = new Uint8Array(ROOM_FIRST);
  #at = 0;

  /** What was written, a copy. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  /** A whole number from 0, up to 2^53. */
  varint(value: number): void {
    this.#room(10);
    this.#varint(value);
  }

  /** Field number and whole number. */
  varintField(tag: number, value: number): void {
    this.varint(tag * 8);
    this.varint(value);
  }

  signedField(tag: number, value: number): void {
    this.varintField(tag, value < 0 ? -value * 2 - 1 : value * 2);
  }

  doubleField(tag: number, value: number): void {
    this.varint(tag * 8 + 1);
    this.#room(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** UTF-8; half a surrogate pair becomes U+FFFD. */
  stringField(tag: number, text: string): void {
    this.messageField(tag, () => {
      this.#room(text.length * 3);
      for (const character of text) {
        const code = character.codePointAt(0) ?? 0;
        if (code < 0x80) this.#bytes[this.#at++] = code;
        else if (code < 0x800) this.#put(0xc0 | (code >> 6), 0x80 | (code & 63));
        else if (code >= 0xd800 && code < 0xe000) this.#put(0xef, 0xbf, 0xbd);
        else if (code < 0x1_0000) this.#put(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
        else this.#put(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
      }
    });
  }

  /** A field whose length is known when it is written: one byte is kept free for it, and what follows moved where that is too few. */
  messageField(tag: number, write: () => void): void {
    this.varint(tag * 8 + 2);
    this.#room(1);
    const from = ++this.#at;
    write();
    const length = this.#at - from;
    let more = 0;
    for (let left = length; left > 0x7f; left = Math.floor(left / 128)) more++;
    if (more > 0) {
      this.#room(more);
      this.#bytes.copyWithin(from + more, from, this.#at);
    }
    this.#at = from - 1;
    this.#varint(length);
    this.#at += length;
  }

  /** Whole numbers packed into one field; nothing at all where there are none. */
  packedField(tag: number, values: readonly number[]): void {
    if (values.length === 0) return;
    this.messageField(tag, () => {
      this.#room(values.length * 10);
      for (const value of values) this.#varint(value);
    });
  }

  /**
   * Appends the way from each place to the next in steps of 1/scale, the first from `0, 0`: two numbers a place, zigzag.
   *
   * @param count of the places that are written
   */
  deltas(line: readonly (readonly number[])[], count: number, scale: number): void {
    this.#room(count * 20);
    const bytes = this.#bytes;
    let at = this.#at;
    let x = 0;
    let y = 0;
    for (let index = 0; index < count; index++) {
      const place = line[index];
      const toX = Math.round((place?.[0] ?? 0) * scale);
      const toY = Math.round((place?.[1] ?? 0) * scale);
      for (let axis = 0; axis < 2; axis++) {
        const step = axis === 0 ? toX - x : toY - y;
        let value = step < 0 ? -step * 2 - 1 : step * 2;
        while (value > 0x7f) {
          bytes[at++] = (value % 128) + 0x80;
          value = Math.floor(value / 128);
        }
        bytes[at++] = value;
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
    while (left > 0x7f) {
      this.#bytes[this.#at++] = (left % 128) + 0x80;
      left = Math.floor(left / 128);
    }
    this.#bytes[this.#at++] = left;
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const more = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + bytes));
    more.set(this.#bytes);
    this.#bytes = more;
  }
}
