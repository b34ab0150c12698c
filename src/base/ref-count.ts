/** Reference count of something that runs while it is in use. */
export class RefCount {
  readonly #start: () => () => void;
  #stop: (() => void) | undefined;
  #count = 0;

  /** @param start runs for the first user; the function that it returns runs after the last */
  constructor(start: () => () => void) {
    this.#start = start;
  }

  /** Returns the function that releases it; calling it again does nothing. */
  readonly retain = (): (() => void) => {
    if (this.#count++ === 0) this.#stop = this.#start();
    let isRetained = true;
    return () => {
      if (!isRetained) return;
      isRetained = false;
      if (--this.#count === 0) this.#stop?.();
    };
  };
}
