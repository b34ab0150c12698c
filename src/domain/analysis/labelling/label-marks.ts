import type { Position } from '../../geobuf/geojson';
import type { MarkEdit, MarkLog } from '../mark-log';

/** Steps of all versions (2§4). */
export const LABEL_STEPS = ['labels', 'dominant', 'coralLevel', 'softCoral', 'hardCoral', 'bleached'] as const;
export type LabelStepId = (typeof LABEL_STEPS)[number];

/** One undoable edit of a labelling. `since` is ms since 1970 and grows from mark to mark of a step. */
export type LabelMark =
  /** Label of one outline in the step `labels`. */
  | { readonly kind: 'label'; readonly since: number; readonly outline: string; readonly label: string }
  /** The bad-image category: labels every outline bad. */
  | { readonly kind: 'bad'; readonly since: number; readonly label: string }
  /** Answer of a question step. */
  | { readonly kind: 'answer'; readonly since: number; readonly label: string }
  /** Outline drawn by an expert; closed, normalised. */
  | { readonly kind: 'draw'; readonly since: number; readonly outline: string; readonly points: readonly Position[] }
  /** Removal of an unlabelled outline by an expert. */
  | { readonly kind: 'erase'; readonly since: number; readonly outline: string }
  /** Whole-image fill by an expert; at most one. */
  | { readonly kind: 'zap'; readonly since: number; readonly label: string };

/** Undo and redo of one step at a time: Undo on a question removes its answer, never a label. */
export type LabelLogs = { readonly [Step in LabelStepId]?: MarkLog<LabelMark> };

/** Edit of the log of one step. */
export type LabelEdit = { readonly step: LabelStepId } & MarkEdit<LabelMark>;

/** Working session on a photograph (2§3 "sessions [{startTime, endTime, timeTaken}]"). */
export interface LabelSession {
  /** ISO 8601. */
  readonly startTime: string;
  readonly endTime: string;
  /** s */
  readonly timeTaken: number;
}
