import type { CategoryType } from '../../../domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { LabelPicture } from '../../../workers/demo/demo-picture.api';
import type { ViewedPicture } from '../../picture-viewer';
import type { Cover } from '../canvas/cover';

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
  /** Labels as painted now; null before the picture is loaded. */
  readonly labels: () => Promise<LabelPicture | null>;
  /** Canvas of the marks; null before the picture is loaded. */
  readonly canvas: () => HTMLCanvasElement | null;
  readonly selectedType: CategoryType;
  readonly selectType: (id: string) => void;
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
