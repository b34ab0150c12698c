import type { Position } from '../../../domain/geobuf/geojson';

/** What a tool says while it is in use. */
export interface ToolHost {
  /** Paints live, as a stroke: what is there goes with `giveUp`, or is replaced by what is finished. @param points x and y by turns, normalised */
  readonly draw: (points: Float64Array) => void;
  readonly discardStroke: () => void;
  readonly finish: (
    made:
      | { readonly kind: 'stroke'; readonly points: readonly Position[] }
      | { readonly kind: 'polygon'; readonly rings: readonly (readonly Position[])[] },
  ) => void;
  /** What is drawn over the picture until it is finished; null for nothing. */
  readonly showDraft: (draft: ToolDraft | null) => void;
  /** Says something to the person, such as that nothing could be found there. */
  readonly showMessage: (words: string) => void;
}

/** What is being made and is no mark yet. Places are normalised. */
export interface ToolDraft {
  readonly line: readonly Position[];
  readonly corners: readonly Position[];
  /** It would end where it began. */
  readonly isClosing: boolean;
}

/** A way to make marks: it is told what the pointer and the keys do, and tells its host what came of it. */
export interface Tool {
  readonly down: (x: number, y: number) => void;
  readonly move: (points: Float64Array) => void;
  readonly up: () => void;
  readonly cancel: () => void;
  /** Enter: finishes what is being made. */
  readonly confirm: () => void;
  /** Escape, or another tool: what is being made is given up. */
  readonly discard: () => void;
  /** Undo while something is being made: takes back its latest part; false where there is none. */
  readonly undoStep: () => boolean;
}
