/** A picture in which outlines are looked for: RGBA, one byte each; 800 px wide is enough. */
export interface OutlinePicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** What is at a place. */
export type FoundArea =
  /** Outlines, those of holes among them (even-odd): x and y by turns, normalised; they close by themselves. `part` of the picture, 0 to 1. */
  | { readonly state: 'found'; readonly rings: readonly Float64Array[]; readonly part: number }
  /** Nothing there that hangs together. */
  | { readonly state: 'nothing' }
  /** It would be nearly the whole picture. */
  | { readonly state: 'everything' }
  /** The picture is not there yet. */
  | { readonly state: 'no-picture' };

/** Finds outlines in a picture that was handed over once. Places are normalised, 0 to 1. */
export interface OutlineEngine {
  readonly hasPicture: (key: string) => boolean;
  readonly setPicture: (key: string, picture: OutlinePicture) => void;
  /** The area around a place. @param by more or less like the place than it would choose: -130 to 130, 0 for its own choice */
  readonly area: (x: number, y: number, by: number) => FoundArea;
  /** The line along the edges from a place to another: x and y by turns, both ends included; null where the picture is not there. */
  readonly edge: (fromX: number, fromY: number, toX: number, toY: number) => Float64Array | null;
}

/** An {@link OutlineEngine} for a screen, in a worker; the picture is handed over when it is first needed. */
export interface OutlineFinder {
  readonly area: (x: number, y: number, by: number) => Promise<FoundArea>;
  readonly edge: (fromX: number, fromY: number, toX: number, toY: number) => Promise<Float64Array | null>;
  /** Ends the worker. */
  readonly close: () => void;
}
