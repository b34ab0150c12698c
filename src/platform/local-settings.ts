import { Emitter } from '../base/emitter';

/**
 * Local settings (localStorage), shared by all tabs and readable before the database opens; in memory if the browser
 * refuses storage.
 */

const inMemory = new Map<string, string>();

export function readLocalSetting(name: string): string | null {
  try {
    return localStorage.getItem(name) ?? inMemory.get(name) ?? null;
  } catch (_refused) {
    return inMemory.get(name) ?? null;
  }
}

/** Stores a value; in memory if the browser refuses. */
export function writeLocalSetting(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
    inMemory.delete(name);
  } catch (_refused) {
    inMemory.set(name, value);
  }
}

/** Setting with subscribers in every tab. Fits `useSyncExternalStore`. */
export class LocalSetting<Value> {
  readonly #name: string;
  readonly #parse: (stored: string | null) => Value;
  readonly #serialise: (value: Value) => string;
  readonly #changed = new Emitter();
  #last: { readonly stored: string | null; readonly value: Value } | undefined;

  /** @param parse also gets null, and text that another version wrote */
  constructor(name: string, parse: (stored: string | null) => Value, serialise: (value: Value) => string = String) {
    this.#name = name;
    this.#parse = parse;
    this.#serialise = serialise;
  }

  /** Returns the same object until the setting changes. */
  readonly get = (): Value => {
    const stored = readLocalSetting(this.#name);
    if (this.#last?.stored !== stored || this.#last === undefined) this.#last = { stored, value: this.#parse(stored) };
    return this.#last.value;
  };

  readonly set = (value: Value): void => {
    writeLocalSetting(this.#name, this.#serialise(value));
    this.#changed.emit();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    const stop = this.#changed.subscribe(listener);
    if (typeof addEventListener !== 'function') return stop;
    const onStorage = (event: StorageEvent): void => {
      if (event.key === this.#name || event.key === null) listener();
    };
    addEventListener('storage', onStorage);
    return () => {
      stop();
      removeEventListener('storage', onStorage);
    };
  };
}
