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

  emit(value: Value): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  clear(): void {
    this.#listeners.clear();
  }

  get size(): number {
    return this.#listeners.size;
  }
}
