/** Picture to search for outlines: RGBA, one byte each; 800 px wide suffices. */
export interface OutlinePicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

export type FoundArea =
  /**
   * Outlines, holes included (even-odd): x and y alternating, normalised; implicitly closed. `part`: share of the
   * picture, 0 to 1.
   */
  | { readonly state: 'found'; readonly rings: readonly Float64Array[]; readonly part: number }
  | { readonly state: 'nothing' }
  | { readonly state: 'everything' }
  | { readonly state: 'no-picture' };

/** Places are normalised, 0 to 1; the picture is set once. */
export interface OutlineEngine {
  readonly hasPicture: (key: string) => boolean;
  readonly setPicture: (key: string, picture: OutlinePicture) => void;
  /** @param by offset to its own choice of similarity: -130 to 130 */
  readonly area: (x: number, y: number, by: number) => FoundArea;
  /** Line along edges: x and y alternating, both ends included; null without a picture. */
  readonly edge: (fromX: number, fromY: number, toX: number, toY: number) => Float64Array | null;
}

/** {@link OutlineEngine} in a worker. */
export interface OutlineFinder {
  readonly area: (x: number, y: number, by: number) => Promise<FoundArea>;
  readonly edge: (fromX: number, fromY: number, toX: number, toY: number) => Promise<Float64Array | null>;
  readonly close: () => void;
}
