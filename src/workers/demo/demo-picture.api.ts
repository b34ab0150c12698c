import type { Demo, DemoScene, Overlap } from '../../domain/analysis/free-draw/demos';
import type { LabelPicture } from '../../imaging/label-raster/label-overlap';

export type { LabelPicture };

export interface DemoPicture {
  readonly blob: Blob;
  /** px */
  readonly width: number;
  readonly height: number;
  /** Outline of each type of the demo's breakdown, by id: an SVG path in a 1 by 1 box, even-odd. */
  readonly outlines: Readonly<Record<string, string>>;
}

export interface DemoPictures {
  /** Rendered once per page. @throws an error if no picture can be rendered here */
  readonly picture: (demo: Pick<Demo, 'id' | 'scene' | 'breakdown'>) => Promise<DemoPicture>;
  /** Overlap of what is painted with the truth, for each type of the demo's breakdown. */
  readonly overlaps: (demo: Demo, painted: LabelPicture) => Promise<Readonly<Record<string, Overlap>>>;
  readonly stop: () => void;
}

/** Result of the worker: the encoded picture, else RGBA pixels for the page to encode. */
export interface RenderedDemo {
  readonly blob: Blob | null;
  readonly pixels: Uint8ClampedArray<ArrayBuffer> | null;
  readonly width: number;
  readonly height: number;
  readonly outlines: Readonly<Record<string, string>>;
}

export interface DemoPictureWorkerApi {
  readonly make: (scene: DemoScene, types: readonly string[]) => Promise<RenderedDemo>;
  readonly overlaps: (
    scene: DemoScene,
    types: readonly string[],
    painted: LabelPicture,
  ) => Promise<Readonly<Record<string, Overlap>>>;
}
