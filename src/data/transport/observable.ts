/** Set of listeners called in turn; a listener may unsubscribe during a call. */
export class Emitter<Value> {
  readonly #listeners = new Set<(value: Value) => void>();

  on(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  emit(value: Value): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  get size(): number {
    return this.#listeners.size;
  }
}

/** Value with listeners; setting an equal value notifies no one. */
export class ObservableValue<Value> {
  readonly #changed = new Emitter<Value>();
  #value: Value;

  readonly #isEqual: (a: Value, b: Value) => boolean;

  constructor(value: Value, isEqual: (a: Value, b: Value) => boolean = Object.is) {
    this.#isEqual = isEqual;
    this.#value = value;
  }

  readonly get = (): Value => this.#value;

  readonly subscribe = (onChange: (value: Value) => void): (() => void) => this.#changed.on(onChange);

  set(value: Value): void {
    if (this.#isEqual(this.#value, value)) return;
    this.#value = value;
    this.#changed.emit(value);
  }
}

export function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
