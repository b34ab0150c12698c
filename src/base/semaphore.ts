/** Fair semaphore that bounds concurrent use of a resource. */
export class Semaphore {
  #available: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.#available = permits;
  }

  /** Resolves with the function that releases the permit; calling it again does nothing. */
  async acquire(): Promise<() => void> {
    if (this.#available > 0) this.#available--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#available++;
      else next();
    };
  }
}
