import type { ReactNode } from 'react';

export interface ViewedPicture {
  readonly key: string;
  /**
   * Loads a size (px of the longer side); called again for more detail. `size` is the size delivered.
   * @throws error that the viewer reports
   */
  readonly open: (
    size: 800 | 2000 | 4000,
  ) => Promise<{ readonly blob: Blob; readonly size: 800 | 2000 | 4000 | 'original' }>;
  /** Loads the stored colour-corrected version; null: the device corrects. */
  readonly openCorrected:
    | ((
        size: 800 | 2000 | 4000,
      ) => Promise<{ readonly blob: Blob; readonly size: 800 | 2000 | 4000 | 'original' } | null>)
    | null;
  /** Accessible name. */
  readonly name: string;
}

export interface PictureLight {
  /** Factor, 0.5 to 2; 1 is unchanged. */
  readonly brightness: number;
  readonly contrast: number;
  readonly isCorrected: boolean;
}

/** Points normalised by the picture's width and height; below 0 or above 1 outside of it. */
export interface PenInput {
  readonly down: (x: number, y: number) => void;
  /** All samples since the last call, also between frames. @param points x and y alternating */
  readonly move: (points: Float64Array) => void;
  readonly up: () => void;
  /** Second finger came, or the system took the pointer. */
  readonly cancel: () => void;
  /** Short press while the pointer moves the picture; it is not also a `down`. */
  readonly tap?: (x: number, y: number) => void;
}

/** Part of a picture, normalised. */
export interface PictureArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface ViewState {
  /** CSS px per px of the picture's full width. */
  readonly scale: number;
  /** Quarter turns clockwise, 0 to 3. */
  readonly turns: number;
  /**
   * 0 to 3 of the four steps (2§4: "Zoom cycles through 4 steps up to about three times natural size"); null between
   * them.
   */
  readonly step: number | null;
  /** Factor of the size at which the whole picture fits. */
  readonly zoom: number;
  /** px of the picture at full size. */
  readonly width: number;
  readonly height: number;
  /** Decoded size if the picture is too large for this tablet; null: full size. */
  readonly shownAt: { readonly width: number; readonly height: number } | null;
  /** Longer side, px, of the version shown if it is smaller than the original; null: the original. */
  readonly reducedTo: number | null;
}

/** Factors of the size at which the whole picture fits. */
export interface ZoomLimits {
  readonly min: number;
  readonly max: number;
}

export interface ViewerHandle {
  readonly nextZoomStep: () => void;
  readonly zoomBy: (factor: number) => void;
  /** Zooms to a factor of the fitting size, around the stage's middle or a place of the picture, normalised. */
  readonly zoomTo: (factor: number, around?: readonly [number, number]) => void;
  /** CSS px. */
  readonly panBy: (x: number, y: number) => void;
  readonly fit: () => void;
  readonly rotate: () => void;
  /** clientX and clientY to normalised picture coordinates. */
  readonly placeOf: (clientX: number, clientY: number) => readonly [number, number];
  /** Picture as displayed, RGBA; null before it is loaded. @param width px */
  readonly pixels: (width: number) => Promise<ImageData | null>;
  /**
   * Part of the picture as displayed; null before it is loaded. The caller closes it.
   * @param width px of the result
   */
  readonly crop: (area: PictureArea, width: number) => Promise<ImageBitmap | null>;
}

export interface PictureViewerProps {
  readonly picture: ViewedPicture;
  /** Action of one finger, mouse or pen. While a pen is in use, fingers always move. */
  readonly pointerMode: 'move' | 'paint';
  readonly pen: PenInput;
  readonly light: PictureLight;
  readonly marks: HTMLCanvasElement | null;
  readonly areMarksHidden: boolean;
  /** SVG in a 1 by 1 view box (normalised places). */
  readonly children?: ReactNode;
  /** HTML laid over the whole picture at its size on the screen, under `children`. */
  readonly layers?: ReactNode;
  /** Limits of the zoom as factors of the fitting size; by default those of tracing. */
  readonly zoomLimits?: ZoomLimits;
  readonly onView: (view: ViewState) => void;
  readonly onFailed: (error: unknown) => void;
  /** px of the picture's full size; null for no ring. */
  readonly penWidth: number | null;
}
