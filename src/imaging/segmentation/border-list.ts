/** Borders between regions, collected pixel by pixel. */
export class BorderList {
  count = 0;
  #ends = new Int32Array(8192);
  #lengths = new Float64Array(4096);
  #strengths = new Float64Array(4096);
  readonly #found = new Map<number, number>();

  /** @param regions number of regions */
  constructor(private readonly regions: number) {}

  /** Copies of what was collected: regions on both sides of each border, alternating; its px; the sum of its strengths. */
  toArrays(): { readonly ends: Int32Array; readonly lengths: Float64Array; readonly strengths: Float64Array } {
    return {
      ends: this.#ends.slice(0, this.count * 2),
      lengths: this.#lengths.slice(0, this.count),
      strengths: this.#strengths.slice(0, this.count),
    };
  }

  /** Adds one pixel of a border. @param strength 0 to 1 */
  add(first: number, second: number, strength: number): void {
    const pair = first < second ? first * this.regions + second : second * this.regions + first;
    let border = this.#found.get(pair);
    if (border === undefined) {
      border = this.count++;
      this.#found.set(pair, border);
      if (border === this.#lengths.length) this.#grow();
      this.#ends[border * 2] = first;
      this.#ends[border * 2 + 1] = second;
    }
    this.#lengths[border] = (this.#lengths[border] ?? 0) + 1;
    this.#strengths[border] = (this.#strengths[border] ?? 0) + strength;
  }

  #grow(): void {
    const [ends, lengths, strengths] = [this.#ends, this.#lengths, this.#strengths];
    this.#ends = new Int32Array(ends.length * 2);
    this.#ends.set(ends);
    this.#lengths = new Float64Array(lengths.length * 2);
    this.#lengths.set(lengths);
    this.#strengths = new Float64Array(strengths.length * 2);
    this.#strengths.set(strengths);
  }
}
