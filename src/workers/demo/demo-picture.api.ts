import type { Demo, DemoScene } from '../../domain/analysis/free-draw/demos';

/** A made picture to learn on. */
export interface DemoPicture {
  readonly blob: Blob;
  /** px */
  readonly width: number;
  readonly height: number;
  /** By the id of each type of the demo's breakdown: where it truly is, as a path of SVG in a box of 1 by 1, even-odd. */
  readonly outlines: Readonly<Record<string, string>>;
}

/** Makes the pictures of demos, away from the screen's thread. */
export interface DemoPictures {
  /** Made once, and kept while the page stands. @throws an error where no picture can be made here */
  readonly picture: (demo: Demo) => Promise<DemoPicture>;
  readonly stop: () => void;
}

/** What the worker answers: the picture as bytes where it can write them, else as pixels (RGBA) for the page to write. */
export interface RenderedDemo {
  readonly blob: Blob | null;
  readonly pixels: Uint8ClampedArray<ArrayBuffer> | null;
  readonly width: number;
  readonly height: number;
  readonly outlines: Readonly<Record<string, string>>;
}

export interface DemoPictureWorkerApi {
  /** @param types ids whose outlines are wanted */
  readonly make: (scene: DemoScene, types: readonly string[]) => Promise<RenderedDemo>;
}
