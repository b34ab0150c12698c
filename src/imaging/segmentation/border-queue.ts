/** Borders ordered by a cost that may change: a binary heap with the place of each. */
export class BorderQueue {
  readonly #costs: Float64Array;
  readonly #heap: Int32Array;
  readonly #places: Int32Array;
  #length = 0;

  /** @param borders their greatest number */
  constructor(borders: number) {
    this.#costs = new Float64Array(borders);
    this.#heap = new Int32Array(borders);
    this.#places = new Int32Array(borders).fill(-1);
  }

  /** Adds a border or changes its cost. */
  put(border: number, cost: number): void {
    const place = this.#places[border] ?? -1;
    this.#costs[border] = cost;
    if (place === -1) this.#rise(border, this.#length++);
    else this.#settle(border, place);
  }

  /** Removes a border, if it is there. */
  drop(border: number): void {
    const place = this.#places[border] ?? -1;
    if (place === -1) return;
    this.#places[border] = -1;
    const last = this.#heap[--this.#length] ?? -1;
    if (last !== border) this.#settle(last, place);
  }

  /** Removes the border that costs least; -1 if there is none. */
  take(): number {
    if (this.#length === 0) return -1;
    const least = this.#heap[0] ?? -1;
    this.drop(least);
    return least;
  }

  #settle(border: number, place: number): void {
    const above = this.#heap[(place - 1) >> 1] ?? -1;
    if (place > 0 && this.#isBefore(border, above)) this.#rise(border, place);
    else this.#sink(border, place);
  }

  #rise(border: number, from: number): void {
    let place = from;
    while (place > 0) {
      const above = this.#heap[(place - 1) >> 1] ?? -1;
      if (!this.#isBefore(border, above)) break;
      this.#set(above, place);
      place = (place - 1) >> 1;
    }
    this.#set(border, place);
  }

  #sink(border: number, from: number): void {
    let place = from;
    for (;;) {
      let below = place * 2 + 1;
      if (below >= this.#length) break;
      if (below + 1 < this.#length && this.#isBefore(this.#heap[below + 1] ?? -1, this.#heap[below] ?? -1)) below++;
      const lower = this.#heap[below] ?? -1;
      if (!this.#isBefore(lower, border)) break;
      this.#set(lower, place);
      place = below;
    }
    this.#set(border, place);
  }

  #set(border: number, place: number): void {
    this.#heap[place] = border;
    this.#places[border] = place;
  }

  /** Ties by number, so that the order never depends on the history. */
  #isBefore(first: number, second: number): boolean {
    const [one, other] = [this.#costs[first] ?? 0, this.#costs[second] ?? 0];
    return one < other || (one === other && first < second);
  }
}
