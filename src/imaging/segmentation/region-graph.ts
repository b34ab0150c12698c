import { BorderQueue } from './border-queue';
import { BorderList } from './border-list';

/** Features that regions are compared by. */
const FEATURES = 4;
/** Weight of the squared strength of a border beside the squared distance of two means. */
const BORDER_WEIGHT = 0.001;

/** Stage of merging. */
interface MergeRule {
  /** Number of regions that it ends with at the latest. */
  readonly until: number;
  /** Factor of a merge's cost by the sizes of both regions, px; Infinity forbids it. */
  readonly weigh: (first: number, second: number) => number;
  /** Greatest difference of two regions that may be merged; absent: any. */
  readonly differenceMax?: number;
}

/**
 * Regions of a picture and their common borders, merged pair by pair, the least different first. Merging is greedy, so
 * stages with other rules can follow each other.
 */
export class RegionGraph {
  /** Number of regions that are left. */
  count: number;
  /** px of each region; of merged ones 0. */
  readonly sizes: Float64Array;

  /** Sums of the features of each region. */
  readonly #sums: Float64Array;
  readonly #parents: Int32Array;
  /** Border lists: chains of half-borders, 2 × border + side, by region. */
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  /** Regions on both sides of each border, alternating; -1 for one that is gone. */
  readonly #ends: Int32Array;
  readonly #lengths: Float64Array;
  readonly #strengths: Float64Array;
  readonly #borders: number;
  /** Border with each region, while two lists are joined. */
  readonly #borderWith: Int32Array;

  /**
   * @param labels region of each pixel, from 0
   * @param features planes whose means are compared, already weighted
   * @param edges strength at each pixel, 0 to 255
   */
  constructor(labels: Int32Array, count: number, width: number, features: readonly Float32Array[], edges: Uint8Array) {
    this.count = count;
    this.sizes = new Float64Array(count);
    this.#sums = new Float64Array(count * FEATURES);
    this.#parents = Int32Array.from({ length: count }, (_, region) => region);
    this.#heads = new Int32Array(count).fill(-1);
    this.#borderWith = new Int32Array(count).fill(-1);
    const { sizes } = this;
    for (let at = 0; at < labels.length; at++) {
      const region = labels[at] ?? 0;
      sizes[region] = (sizes[region] ?? 0) + 1;
    }
    for (const [feature, plane] of features.entries()) {
      const sums = this.#sums;
      for (let at = 0; at < labels.length; at++) {
        const slot = (labels[at] ?? 0) * FEATURES + feature;
        sums[slot] = (sums[slot] ?? 0) + (plane[at] ?? 0);
      }
    }
    const found = new BorderList(count);
    for (let at = 0, x = 0; at < labels.length; at++, x = x + 1 === width ? 0 : x + 1) {
      const region = labels[at] ?? 0;
      const right = x + 1 < width ? (labels[at + 1] ?? 0) : region;
      if (right !== region) found.add(region, right, Math.max(edges[at] ?? 0, edges[at + 1] ?? 0) / 255);
      const below = at + width < labels.length ? (labels[at + width] ?? 0) : region;
      if (below !== region) found.add(region, below, Math.max(edges[at] ?? 0, edges[at + width] ?? 0) / 255);
    }
    this.#borders = found.count;
    const { ends, lengths, strengths } = found.toArrays();
    this.#ends = ends;
    this.#lengths = lengths;
    this.#strengths = strengths;
    this.#next = new Int32Array(found.count * 2);
    for (let half = 0; half < found.count * 2; half++) {
      const region = ends[half] ?? 0;
      this.#next[half] = this.#heads[region] ?? -1;
      this.#heads[region] = half;
    }
  }

  /** Region that a former one belongs to. */
  find(region: number): number {
    const parents = this.#parents;
    let at = region;
    while (parents[at] !== at) {
      const above = parents[parents[at] ?? 0] ?? 0;
      parents[at] = above;
      at = above;
    }
    return at;
  }

  /** Mean of a feature over a region. */
  mean(region: number, feature: number): number {
    return (this.#sums[region * FEATURES + feature] ?? 0) / (this.sizes[region] ?? 1);
  }

  /** Merges regions with a common border, in the order of what a merge costs, until no more may or need to. */
  merge(rule: MergeRule): void {
    const queue = new BorderQueue(this.#borders);
    for (let border = 0; border < this.#borders; border++) this.#offer(queue, border, rule);
    while (this.count > rule.until) {
      const border = queue.take();
      if (border === -1) return;
      const merged = this.#join(border, queue);
      for (let half = this.#heads[merged] ?? -1; half !== -1; half = this.#next[half] ?? -1)
        this.#offer(queue, half >> 1, rule);
    }
  }

  /**
   * Loss of a merge: the growth of the squared error (Ward), with the strength of the border, over a power of the
   * border's length, so that regions become round and fill up their holes.
   */
  #offer(queue: BorderQueue, border: number, { weigh, differenceMax = Infinity }: MergeRule): void {
    const first = this.#ends[border * 2] ?? -1;
    if (first === -1) return;
    const second = this.#ends[border * 2 + 1] ?? -1;
    const n = this.sizes[first] ?? 1;
    const m = this.sizes[second] ?? 1;
    const factor = weigh(n, m);
    const difference = factor === Infinity ? Infinity : this.#difference(border, first, second);
    if (factor === Infinity || difference > differenceMax) return queue.drop(border);
    const length = this.#lengths[border] ?? 1;
    // Power of 3/4 out of roots, which every engine rounds alike.
    queue.put(border, (factor * ((n * m) / (n + m)) * difference) / Math.sqrt(length * Math.sqrt(length)));
  }

  /** Squared distance of the means of two regions, and the strength of their border. */
  #difference(border: number, first: number, second: number): number {
    let distance = 0;
    for (let feature = 0; feature < FEATURES; feature++) {
      const apart = this.mean(first, feature) - this.mean(second, feature);
      distance += apart * apart;
    }
    const strength = (this.#strengths[border] ?? 0) / (this.#lengths[border] ?? 1);
    return distance + BORDER_WEIGHT * strength * strength;
  }

  /** Merges the regions of a border; returns the one that is left. */
  #join(border: number, queue: BorderQueue): number {
    const ends = this.#ends;
    const kept = ends[border * 2] ?? 0;
    const gone = ends[border * 2 + 1] ?? 0;
    this.count--;
    this.#parents[gone] = kept;
    this.sizes[kept] = (this.sizes[kept] ?? 0) + (this.sizes[gone] ?? 0);
    this.sizes[gone] = 0;
    for (let feature = 0; feature < FEATURES; feature++)
      this.#sums[kept * FEATURES + feature] =
        (this.#sums[kept * FEATURES + feature] ?? 0) + (this.#sums[gone * FEATURES + feature] ?? 0);
    let list = -1;
    for (const from of [kept, gone]) {
      for (let half = this.#heads[from] ?? -1; half !== -1;) {
        const following = this.#next[half] ?? -1;
        const other = ends[half ^ 1] ?? -1;
        const twin = this.#borderWith[other] ?? -1;
        if (other === -1 || other === kept || other === gone) {
          this.#remove(half >> 1, queue);
        } else if (twin !== -1) {
          this.#lengths[twin] = (this.#lengths[twin] ?? 0) + (this.#lengths[half >> 1] ?? 0);
          this.#strengths[twin] = (this.#strengths[twin] ?? 0) + (this.#strengths[half >> 1] ?? 0);
          this.#remove(half >> 1, queue);
        } else {
          this.#borderWith[other] = half >> 1;
          ends[half] = kept;
          this.#next[half] = list;
          list = half;
        }
        half = following;
      }
    }
    this.#heads[kept] = list;
    this.#heads[gone] = -1;
    for (let half = list; half !== -1; half = this.#next[half] ?? -1) this.#borderWith[ends[half ^ 1] ?? 0] = -1;
    return kept;
  }

  /** Marks a border as gone; the lists of its regions drop it when they are next joined. */
  #remove(border: number, queue: BorderQueue): void {
    this.#ends[border * 2] = -1;
    this.#ends[border * 2 + 1] = -1;
    queue.drop(border);
  }
}
