/** Set of listeners, called in the order of subscription. A listener may unsubscribe while it is being called. */
export class Emitter<Value = void> {
  readonly #listeners = new Set<(value: Value) => void>();

  /** Returns the function that unsubscribes. */
  readonly subscribe = (listener: (value: Value) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /** @param onError receives the error of a listener, which then does not keep the others from being called */
  emit(value: Value, onError?: (error: unknown) => void): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        if (onError === undefined) throw error;
        onError(error);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }

  get size(): number {
    return this.#listeners.size;
  }
}
