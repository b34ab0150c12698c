/** Lines of one layer that are stored and printed; further ones are counted. */
const LINES_MAX = 200;

/** Outcome of one layer. */
export interface LayerReport {
  readonly layer: string;
  /** Entries imported. */
  readonly imported: number;
  /** Entries left out. */
  readonly left: number;
  /** Entries left out or corrected, with the reason; at most 200 lines. */
  readonly lines: readonly string[];
}

export interface ImportReport {
  readonly regionId: string;
  readonly layers: readonly LayerReport[];
}

/** Collects the lines of one layer. */
export class LayerNotes {
  imported = 0;
  left = 0;
  #count = 0;
  readonly #lines: string[] = [];
  readonly #layer: string;

  constructor(layer: string) {
    this.#layer = layer;
  }

  /** @param entry what is meant, such as `feature 12 (16-071)` */
  leave(entry: string, reason: string): void {
    this.left++;
    this.note(entry, `${reason}; left out`);
  }

  note(entry: string, text: string): void {
    this.#count++;
    if (this.#lines.length < LINES_MAX) this.#lines.push(`${entry} ${text}.`);
  }

  get report(): LayerReport {
    const more = this.#count - this.#lines.length;
    return {
      layer: this.#layer,
      imported: this.imported,
      left: this.left,
      lines: more > 0 ? [...this.#lines, `and ${more.toLocaleString('en')} more lines.`] : this.#lines,
    };
  }
}

/** Report as lines for the operator. */
export function reportText({ regionId, layers }: ImportReport): string {
  const count = (n: number): string => n.toLocaleString('en');
  return layers
    .flatMap(({ layer, imported, left, lines }) => [
      `${regionId}, ${layer}: ${count(imported)} imported, ${left === 0 ? 'none' : count(left)} left out.`,
      ...lines.map((line) => `  ${line}`),
    ])
    .join('\n');
}
