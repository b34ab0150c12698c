/** Fair semaphore that bounds concurrent use of a resource. */
export class Semaphore {
  #available: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.#available = permits;
  }

  /** Number of free permits; negative by the number of waiting callers. */
  get available(): number {
    return this.#available;
  }

  /** Resolves with the function that releases the permit; calling it again does nothing. */
  async acquire(): Promise<() => void> {
    if (--this.#available < 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#available++;
      this.#waiting.shift()?.();
    };
  }
}
