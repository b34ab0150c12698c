import { Emitter } from './emitter';

/** Value with subscribers. Setting an equal value notifies no one. Fits `useSyncExternalStore`. */
export class ObservableValue<Value> {
  readonly #changed = new Emitter<Value>();
  readonly #isEqual: (a: Value, b: Value) => boolean;
  #value: Value;

  constructor(value: Value, isEqual: (a: Value, b: Value) => boolean = Object.is) {
    this.#value = value;
    this.#isEqual = isEqual;
  }

  readonly get = (): Value => this.#value;

  readonly subscribe = (listener: (value: Value) => void): (() => void) => this.#changed.subscribe(listener);

  set(value: Value): void {
    if (this.#isEqual(this.#value, value)) return;
    this.#value = value;
    this.#changed.emit(value);
  }
}

/** Equality by JSON, for small values. */
export function isJsonEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
