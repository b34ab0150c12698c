import type { ReactNode } from 'react';

/** A picture that the viewer shows, in as many sizes as there are. */
export interface ViewedPicture {
  /** Another key is another picture. */
  readonly key: string;
  /**
   * The bytes of a size, px of the longer side; asked for again when more detail is looked at. `size` says what came.
   *
   * @throws what there is to say: the viewer shows it
   */
  readonly open: (
    size: 800 | 2000 | 4000,
  ) => Promise<{ readonly blob: Blob; readonly size: 800 | 2000 | 4000 | 'original' }>;
  /** The stored version with corrected colours; null where there is none, and the device corrects. */
  readonly openCorrected:
    | ((
        size: 800 | 2000 | 4000,
      ) => Promise<{ readonly blob: Blob; readonly size: 800 | 2000 | 4000 | 'original' } | null>)
    | null;
  /** For who cannot see it. */
  readonly name: string;
}

/** How light and colours are shown; the picture itself stays as it is. */
export interface PictureLight {
  /** 1 as it is; 0.5 to 2. */
  readonly brightness: number;
  readonly contrast: number;
  readonly isCorrected: boolean;
}

/** What a pointer does on the picture when it paints. Points are normalised by the picture's width and height; outside of it they are below 0 or above 1. */
export interface PenInput {
  readonly down: (x: number, y: number) => void;
  /** All samples since the last call, those between two frames too. @param points x and y by turns */
  readonly move: (points: Float64Array) => void;
  readonly up: () => void;
  /** It was no stroke after all: a second finger came, or the system took the pointer. */
  readonly cancel: () => void;
}

/** How much of the picture is seen. */
export interface ViewState {
  /** Screen px (CSS) for each px of the picture's width as it was decoded at full size. */
  readonly scale: number;
  /** Quarter turns clockwise, 0 to 3. */
  readonly turns: number;
  /** 0 to 3 of the four steps (2§4: "Zoom cycles through 4 steps up to about three times natural size"); null between them. */
  readonly step: number | null;
  /** px of the picture at full size. */
  readonly width: number;
  readonly height: number;
  /** The picture is larger than this tablet shows: it was decoded smaller. null: at its full size. */
  readonly shownAt: { readonly width: number; readonly height: number } | null;
}

export interface ViewerHandle {
  /** The next of the four steps, around the middle. */
  readonly nextZoomStep: () => void;
  readonly zoomBy: (factor: number) => void;
  /** CSS px. */
  readonly panBy: (x: number, y: number) => void;
  readonly fit: () => void;
  readonly rotate: () => void;
  /** A place of the page (clientX, clientY) in the picture, normalised. */
  readonly placeOf: (clientX: number, clientY: number) => readonly [number, number];
  /** The picture as it is shown, for kernels and previews: px, RGBA; null before it is there. @param width px */
  readonly pixels: (width: number) => Promise<ImageData | null>;
}

export interface PictureViewerProps {
  readonly picture: ViewedPicture;
  /** What one finger, the mouse or the pen does: moves the picture, or paints. With a pen in use fingers always move it. */
  readonly pointerMode: 'move' | 'paint';
  readonly pen: PenInput;
  readonly light: PictureLight;
  /** The painted marks, laid over the picture; null for none. */
  readonly marks: HTMLCanvasElement | null;
  readonly areMarksHidden: boolean;
  /** SVG over the picture in a view box of 1 by 1 (normalised places): corners, edges, the pen's size. */
  readonly children?: ReactNode;
  /** The picture is there, or the view changed. */
  readonly onView: (view: ViewState) => void;
  readonly onFailed: (error: unknown) => void;
  /** px of the pen's width at the picture's full size, for the ring at the pointer; null for none. */
  readonly penWidth: number | null;
}
