import type { CategoryType } from '../../../domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { DrawingIconName } from '../../../ui/display/drawing-icon-paths';
import type { IconName } from '../../../ui/display/icon-paths';
import type { Tool, ToolHost } from '../tools/tool';
import type { ViewedPicture } from '../../picture-viewer';
import type { Cover } from '../canvas/cover';
import type { ToolId } from '../trace/trace-state';

/**
 * What the screen of tracing lends to those who work on it: the tools beyond pen and eraser (`tools/more-tools.ts`), and the one
 * who teaches (`learning/Learning.tsx`). Neither sees the screen's inside.
 */

/** What a tool may look at while it works. */
export interface ToolSurface {
  /** The picture as it is shown; null before it is there. @param width px */
  readonly pixels: (width: number) => Promise<ImageData | null>;
  /** px of the picture at full size; null before it is there. */
  readonly size: () => { readonly width: number; readonly height: number } | null;
  /** How far so many CSS px reach on the picture at the zoom of the moment: parts of its width and height; null before it is there. */
  readonly reach: (px: number) => { readonly x: number; readonly y: number } | null;
}

/** A tool beyond pen and eraser, as the screen offers it. */
export interface OfferedTool {
  readonly id: ToolId;
  readonly label: string;
  readonly icon: IconName | DrawingIconName;
  /** The key that takes it up, in lower case. */
  readonly key: string;
  /** One sentence: what to do with it. */
  readonly hint: string;
  /** By keys: `tap` works at the cross-hair with each press of Space; `hold` is put down with Space and lifted with it. */
  readonly press: 'tap' | 'hold';
  /** It is loaded when it is taken up for the first time. */
  readonly load: () => Promise<(host: ToolHost, surface: ToolSurface) => Tool>;
}

/** A picture to learn on: shown in the photograph's place. Nothing that is painted on it is kept. */
export interface PracticePicture {
  readonly picture: ViewedPicture;
  /** px of its full size, on which its cover is counted. */
  readonly width: number;
  readonly height: number;
  /** Marks that are there from the start. */
  readonly marks?: readonly FreeDrawMark[];
}

/** What the one who teaches can do with the screen. It is the same object as long as nothing in it changed. */
export interface LearningHost {
  /** What is on the picture that is shown: the photograph, or the one to learn on. */
  readonly cover: Cover;
  /** px of each label on it; null before it is there. */
  readonly counts: Uint32Array | null;
  /** What is painted with now. */
  readonly selectedType: CategoryType;
  readonly tool: ToolId;
  /** Picks a type as a press on it would. */
  readonly selectType: (id: string) => void;
  /** Takes up a tool; one that is in the hand stays there. */
  readonly selectTool: (tool: ToolId) => void;
  /** Ids of the types that can be chosen; null: all. Stays until it is said anew. */
  readonly restrict: (only: readonly string[] | null) => void;
  /** Whether the states of a type (bleached, dead) can be chosen. Stays until it is said anew. */
  readonly offerStates: (on: boolean) => void;
  /** Whether it is shown how much of the picture is painted in all. Stays until it is said anew. */
  readonly showProgress: (on: boolean) => void;
  /** Draws a line over the picture: a path of SVG in a box of 1 by 1; null: none. */
  readonly showOutline: (path: string | null) => void;
  /** The picture to learn on; null: back to the photograph, whose marks are as they were. */
  readonly showPractice: (practice: PracticePicture | null) => void;
  /** Takes away what was painted on the picture to learn on. On a photograph it does nothing: its marks are somebody's work. */
  readonly clear: () => void;
  /** The training button was pressed: it stands on while this is true. */
  readonly isTraining: boolean;
  readonly setTraining: (on: boolean) => void;
}

/** What the one who teaches is given. It stands over the picture, and its own head (mode, progress) is put into `head`. */
export interface LearningProps {
  readonly host: LearningHost;
  /** Uid of whoever is at the tablet; null for nobody. */
  readonly uid: string | null;
  readonly isExpert: boolean;
  /** A place in the panel, above the classes, for a portal; null before it is there. */
  readonly panelSlot: HTMLElement | null;
}
