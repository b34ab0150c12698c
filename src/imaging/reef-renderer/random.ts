/** Generator mulberry32: the same seed yields the same picture on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 ≤ x < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  integer(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Picks an item of a list, which must not be empty. */
  pick<Item>(list: readonly [Item, ...Item[]]): Item {
    return list[Math.floor(this.next() * list.length)] ?? list[0];
  }

  /** Bell-shaped value near 0, at most about ±2: the sum of uniform values. */
  gaussian(): number {
    return this.next() + this.next() + this.next() + this.next() - 2;
  }

  pickWeighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries(weights) as [Key, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return (entries.at(-1) as [Key, number])[0];
  }
}
