import type { CategoryType } from '../../../domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { DrawingIconName } from '../../../ui/display/drawing-icon-paths';
import type { IconName } from '../../../ui/display/icon-paths';
import type { Tool, ToolHost } from '../tools/tool';
import type { ViewedPicture } from '../../picture-viewer';
import type { Cover } from '../canvas/cover';
import type { ToolId } from '../trace/trace-state';

/**
 * Interfaces between the tracing screen and its extensions: further tools (`tools/area-tools.ts`) and learning
 * (`learning/Learning.tsx`).
 */

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

export interface PracticePicture {
  readonly picture: ViewedPicture;
  /** px at full size. */
  readonly width: number;
  readonly height: number;
  readonly marks?: readonly FreeDrawMark[];
}

/** Control of the tracing screen for learning. The object is identical until something in it changes. */
export interface LearningHost {
  readonly cover: Cover;
  /** px of each label; null before the picture is loaded. */
  readonly counts: Uint32Array | null;
  readonly selectedType: CategoryType;
  readonly tool: ToolId;
  readonly selectType: (id: string) => void;
  readonly selectTool: (tool: ToolId) => void;
  /** Restricts the selectable types, by id; null: all. Persists until changed. */
  readonly restrict: (only: readonly string[] | null) => void;
  /** Shows or hides states (bleached, dead). Persists until changed. */
  readonly offerStates: (on: boolean) => void;
  /** Shows or hides total progress. Persists until changed. */
  readonly showProgress: (on: boolean) => void;
  /** SVG path in a 1 by 1 box; null: none. */
  readonly showOutline: (path: string | null) => void;
  /** null: back to the photograph, with its marks unchanged. */
  readonly showPractice: (practice: PracticePicture | null) => void;
  /** Clears the practice picture. No effect on a photograph, whose marks are real work. */
  readonly clear: () => void;
  readonly isTraining: boolean;
  readonly setTraining: (on: boolean) => void;
}

/**
 * Props of the learning component, which renders over the picture and puts its head (mode, progress) into `panelSlot`.
 */
export interface LearningProps {
  readonly host: LearningHost;
  /** null: not signed in. */
  readonly uid: string | null;
  readonly isExpert: boolean;
  /** Portal target; null before it is mounted. */
  readonly panelSlot: HTMLElement | null;
}
