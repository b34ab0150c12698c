import { refuse } from '../tables/json-checks';

/**
 * Digits that need no escape in JSON and HTML. A number has digits of the base {@link BASE}, least first: one of the upper
 * half continues it, one of the lower ends it. Numbers below 45 take a character, those below 2,070 two.
 */
const DIGITS = " !#$%'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}";
const BASE = DIGITS.length / 2;
/** Value of each digit by its character code, -1 for other characters: the page before the app reads a whole file with it. */
const VALUES = new Int8Array(128).fill(-1);
for (let value = 0; value < DIGITS.length; value++) VALUES[DIGITS.charCodeAt(value)] = value;

/** Writes whole numbers as text. */
export class NumberWriter {
  #text = '';

  /** @param value whole, from 0 */
  unsigned(value: number): this {
    let rest = value;
    while (rest >= BASE) {
      this.#text += DIGITS.charAt(BASE + (rest % BASE));
      // Without the smallest number that needs another digit: each number has one text.
      rest = Math.floor(rest / BASE) - 1;
    }
    this.#text += DIGITS.charAt(rest);
    return this;
  }

  /** @param value whole; small ones of either sign are short */
  signed(value: number): this {
    return this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }

  get text(): string {
    return this.#text;
  }
}

/** Reads what {@link NumberWriter} wrote. Methods throw ReefError `bad-message` with `{field}` for a text that ends early. */
export class NumberReader {
  readonly #text: string;
  readonly #field: string;
  #at = 0;

  constructor(text: string, field: string) {
    this.#text = text;
    this.#field = field;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const digit = VALUES[this.#text.charCodeAt(this.#at)] ?? -1;
      if (digit < 0) throw refuse(this.#field, `has no digit at ${this.#at}`);
      this.#at++;
      if (digit < BASE) return value + digit * scale;
      value += digit * scale;
      scale *= BASE;
      if (scale > 2 ** 40) throw refuse(this.#field, `has a number that is too large at ${this.#at}`);
    }
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }
}
