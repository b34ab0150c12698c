import { GeobufError } from './geobuf-error';

/** Reads protocol-buffer fields; throws as soon as a field exceeds the available bytes. */
export class Reader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Unsigned number, 0 to 2^53 - 1. */
  varint(end: number): number {
    const bytes = this.#bytes;
    let value = 0;
    let scale = 1;
    for (let index = 0; index < 8; index++) {
      if (this.at >= end) throw new GeobufError('it ends within a number');
      const byte = bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw new GeobufError('a number is too large');
  }

  /** End of the length-prefixed field that begins here. */
  fieldEnd(end: number): number {
    const length = this.varint(end);
    if (length > end - this.at) throw new GeobufError('a part is longer than the whole');
    return this.at + length;
  }

  signed(end: number): number {
    const value = this.varint(end);
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  double(end: number): number {
    if (this.at + 8 > end) throw new GeobufError('it ends within a number');
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length).getFloat64(
      this.at,
      true,
    );
    this.at += 8;
    return value;
  }

  /** UTF-8; each invalid byte becomes U+FFFD. */
  string(end: number): string {
    const until = this.fieldEnd(end);
    const bytes = this.#bytes;
    let text = '';
    while (this.at < until) {
      const first = bytes[this.at++] ?? 0;
      const more =
        first < 0x80
          ? 0
          : first >= 0xc2 && first < 0xe0
            ? 1
            : first >= 0xe0 && first < 0xf0
              ? 2
              : first >= 0xf0 && first < 0xf5
                ? 3
                : -1;
      let code = more <= 0 ? first : first & (0x3f >> more);
      let good = more >= 0 && this.at + more <= until;
      for (let index = 0; good && index < more; index++) {
        const next = bytes[this.at + index] ?? 0;
        if ((next & 0xc0) !== 0x80) good = false;
        code = code * 64 + (next & 0x3f);
      }
      if (
        good &&
        ((more === 2 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) ||
          (more === 3 && (code < 0x1_0000 || code > 0x10_ffff)))
      )
        good = false;
      if (good) this.at += more;
      text += good ? String.fromCodePoint(code) : '\ufffd';
    }
    return text;
  }

  /**
   * Delta-encoded places, until `count` were read or the field ends.
   *
   * @param scale units per 1
   * @throws GeobufError if the field ends earlier or within a place
   */
  places(end: number, count: number | undefined, scale: number): [number, number][] {
    const bytes = this.#bytes;
    const places: [number, number][] = [];
    let at = this.at;
    let x = 0;
    let y = 0;
    while (count === undefined ? at < end : places.length < count) {
      for (let axis = 0; axis < 2; axis++) {
        if (at >= end) throw new GeobufError('it ends within a line');
        let byte = bytes[at++] ?? 0;
        let value = byte & 0x7f;
        for (let factor = 128; byte >= 0x80; factor *= 128) {
          if (at >= end) throw new GeobufError('it ends within a line');
          if (factor > 2 ** 49) throw new GeobufError('a number is too large');
          byte = bytes[at++] ?? 0;
          value += (byte & 0x7f) * factor;
        }
        const step = value % 2 === 1 ? -(value + 1) / 2 : value / 2;
        if (axis === 0) x += step;
        else y += step;
      }
      places.push([x / scale, y / scale]);
    }
    this.at = at;
    return places;
  }

  /** Skips a field of unknown type. */
  skip(wire: number, end: number): void {
    if (wire === 0) this.varint(end);
    else if (wire === 1 || wire === 5) this.#forward(wire === 1 ? 8 : 4, end);
    else if (wire === 2) this.at = this.fieldEnd(end);
    else throw new GeobufError('it has a field of an unknown kind');
  }

  #forward(bytes: number, end: number): void {
    if (this.at + bytes > end) throw new GeobufError('it ends within a field');
    this.at += bytes;
  }
}
