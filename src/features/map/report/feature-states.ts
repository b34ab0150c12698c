import type { Map as MapLibre } from 'maplibre-gl';

/**
 * Feature states of one source, by numeric id. Only changed values reach the map, so that a new figure costs one
 * feature and a new dataset those that differ. Stored here as well: the map loses them with its source or WebGL
 * context.
 */
export class FeatureStates<Key extends string> {
  readonly #map: MapLibre;
  readonly #source: string;
  readonly #layers: readonly string[];
  readonly #values = new Map<Key, Map<number, number>>();

  /** @param layers inside the source; an id may be in any of them */
  constructor(map: MapLibre, source: string, layers: readonly string[]) {
    this.#map = map;
    this.#source = source;
    this.#layers = layers;
  }

  /** Sets a key of every id from 0; 0 is the default and is not stored. */
  setAll(key: Key, values: ArrayLike<number>): void {
    const before = this.#of(key);
    for (const id of [...before.keys()]) if (id >= values.length) this.#set(before, key, id, 0);
    for (let id = 0; id < values.length; id++) this.#set(before, key, id, values[id] ?? 0);
  }

  /** Sets a key of some ids and clears it on all others. */
  setSome(key: Key, values: ReadonlyMap<number, number>): void {
    const before = this.#of(key);
    for (const id of [...before.keys()]) if (!values.has(id)) this.#set(before, key, id, 0);
    for (const [id, value] of values) this.#set(before, key, id, value);
  }

  /** Sets all states again, after a new source or a new context. */
  restore(): void {
    if (this.#map.getSource(this.#source) === undefined) return;
    for (const [key, values] of this.#values) for (const [id, value] of values) this.#send(key, id, value);
  }

  #of(key: Key): Map<number, number> {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const values = new Map<number, number>();
    this.#values.set(key, values);
    return values;
  }

  #set(values: Map<number, number>, key: Key, id: number, value: number): void {
    if ((values.get(id) ?? 0) === value) return;
    if (value === 0) values.delete(id);
    else values.set(id, value);
    if (this.#map.getSource(this.#source) !== undefined) this.#send(key, id, value);
  }

  #send(key: Key, id: number, value: number): void {
    for (const sourceLayer of this.#layers)
      this.#map.setFeatureState({ source: this.#source, sourceLayer, id }, { [key]: value });
  }
}
