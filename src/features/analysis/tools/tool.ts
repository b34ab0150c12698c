import type { Position } from '../../../domain/geobuf/geojson';
import type { DrawingIconName } from '../../../ui/display/drawing-icon-paths';
import type { IconName } from '../../../ui/display/icon-paths';

export type ToolId = 'move' | 'pen' | 'erase' | 'tap' | 'polygon' | 'edge';

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
  /** Line that would close the area, from the last corner to the first; empty while there is none. */
  readonly closing: readonly Position[];
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

export interface ToolSurface {
  /** null before it is loaded. @param width px */
  readonly pixels: (width: number) => Promise<ImageData | null>;
  /** px at full size; null before it is loaded. */
  readonly size: () => { readonly width: number; readonly height: number } | null;
  /** CSS px at the current zoom as fractions of width and height; null before the picture is loaded. */
  readonly reach: (px: number) => { readonly x: number; readonly y: number } | null;
}

export interface OfferedTool {
  readonly id: ToolId;
  readonly label: string;
  readonly icon: IconName | DrawingIconName;
  /** Shortcut key, lower case. */
  readonly key: string;
  readonly hint: string;
  /** By keys: `tap` acts on each press of Space; `hold` is pressed and lifted with it. */
  readonly press: 'tap' | 'hold';
  readonly load: () => Promise<(host: ToolHost, surface: ToolSurface) => Tool>;
}
