import type { Position } from '../../../domain/geobuf/geojson';

export interface ToolHost {
  /**
   * Paints a live stroke, which `discardStroke` removes and `finish` replaces. @param points x and y alternating,
   * normalised
   */
  readonly draw: (points: Float64Array) => void;
  readonly discardStroke: () => void;
  readonly finish: (
    made:
      | { readonly kind: 'stroke'; readonly points: readonly Position[] }
      | { readonly kind: 'polygon'; readonly rings: readonly (readonly Position[])[] },
  ) => void;
  readonly showDraft: (draft: ToolDraft | null) => void;
  readonly showMessage: (words: string) => void;
}

/** Draft of a mark; normalised places. */
export interface ToolDraft {
  readonly line: readonly Position[];
  readonly corners: readonly Position[];
  readonly isClosing: boolean;
}

export interface Tool {
  readonly down: (x: number, y: number) => void;
  readonly move: (points: Float64Array) => void;
  readonly up: () => void;
  readonly cancel: () => void;
  /** Enter. */
  readonly confirm: () => void;
  /** Escape, or another tool. */
  readonly discard: () => void;
  /** Undoes the latest part of the current shape; false if there is none. */
  readonly undoStep: () => boolean;
}
