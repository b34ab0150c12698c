import { Random } from './random';

const SIDE = 256;

/** Value noise on a lattice, 0..1, smooth. */
export class Noise {
  readonly #lattice = new Float32Array(SIDE * SIDE);

  constructor(seed: number) {
    const random = new Random(seed);
    for (let i = 0; i < this.#lattice.length; i++) this.#lattice[i] = random.next();
  }

  at(x: number, y: number): number {
    const left = Math.floor(x);
    const top = Math.floor(y);
    const u = x - left;
    const v = y - top;
    const across = u * u * (3 - 2 * u);
    const down = v * v * (3 - 2 * v);
    const row = (top & 255) << 8;
    const below = ((top + 1) & 255) << 8;
    const a = this.#lattice[row | (left & 255)] ?? 0;
    const b = this.#lattice[row | ((left + 1) & 255)] ?? 0;
    const c = this.#lattice[below | (left & 255)] ?? 0;
    const d = this.#lattice[below | ((left + 1) & 255)] ?? 0;
    return a + (b - a) * across + (c - a) * down + (a - b - c + d) * across * down;
  }

  /** Sums octaves, each half as strong and rotated, so that the lattice does not show. 0..1. */
  octaves(x: number, y: number, count: number): number {
    let sum = 0;
    let weight = 0.5;
    let whole = 0;
    let px = x;
    let py = y;
    for (let i = 0; i < count; i++) {
      sum += weight * this.at(px, py);
      whole += weight;
      weight *= 0.52;
      const turned = 1.62 * px - 1.21 * py + 17.3;
      py = 1.21 * px + 1.62 * py + 5.7;
      px = turned;
    }
    return sum / whole;
  }

  /** 1 along winding lines, falling to 0 between them. */
  ridge(x: number, y: number): number {
    return 1 - Math.abs(2 * this.at(x, y) - 1);
  }
}

/** 0 at or below `from`, 1 at or above `to`, smooth between. */
export function smoothstep(from: number, to: number, value: number): number {
  const t = Math.max(0, Math.min(1, (value - from) / (to - from)));
  return t * t * (3 - 2 * t);
}
