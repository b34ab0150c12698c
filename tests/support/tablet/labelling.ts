import type { TraceImage } from '../../../src/data/repositories';
import type { LabelResult } from '../../../src/data/repositories/analysis/types';
import type { LabelEdit, LabelMark, LabelStepId } from '../../../src/domain/analysis/labelling/label-marks';
import type { Outline, OutlineSet } from '../../../src/domain/analysis/labelling/outline';
import { outlineCollection, parseOutlines } from '../../../src/domain/analysis/labelling/outline-collection';
import type { PictureSegmenter } from '../../../src/workers/segmentation/segmentation.api';

/** Square outline; `n` gives its place and id. */
const square = (n: number, side: number, label = 'reef'): Outline => {
  const from = n / 10;
  const to = from + side;
  return {
    id: `shape-${n}`,
    rings: [
      [
        [from, from],
        [to, from],
        [to, to],
        [from, to],
        [from, from],
      ],
    ],
    area: side * side,
    predicted: { id: `shape-${n}`, pixels: Math.round(side * side * 3_000_000), icon: 'reef', label },
  };
};

/** Outlines of a photograph of 2000 × 1500, largest first. */
const made: OutlineSet = {
  source: 'segmentation',
  model: 'segmentation-1',
  width: 2000,
  height: 1500,
  outlines: [square(0, 0.5), square(1, 0.4, 'sand'), square(2, 0.3), square(3, 0.2), square(4, 0.1, 'water')],
};

/** They are read, as a record holds them: areas follow from the corners. */
const read = parseOutlines(outlineCollection(made));
if (read.kind === 'broken') throw new Error(read.reason);
export const OUTLINES = read.set;

/** Segmenter with the same outlines for all photographs, and the number of those it was asked for. */
export function fixedSegmenter(
  set: OutlineSet = OUTLINES,
): { -readonly [Name in keyof PictureSegmenter]: PictureSegmenter[Name] } & { asked: number } {
  const segmenter = {
    asked: 0,
    segment: async () => {
      segmenter.asked += 1;
      return set;
    },
    stop: () => undefined,
  };
  return segmenter;
}

type WithoutTime<Mark> = Mark extends unknown ? Omit<Mark, 'since'> : never;

let since = 1000;
export const add = (step: LabelStepId, mark: WithoutTime<LabelMark>): LabelEdit => ({
  step,
  kind: 'add',
  mark: { ...mark, since: since++ },
});

/** Label of the n-th outline. */
export const label = (n: number, id = 'branching'): LabelEdit =>
  add('labels', { kind: 'label', outline: `shape-${n}`, label: id });
export const answer = (step: LabelStepId, id: string): LabelEdit => add(step, { kind: 'answer', label: id });

/** Labelling ready to save. */
export const labelled = (
  image: TraceImage,
  work: Pick<LabelResult, 'outlines' | 'logs'>,
  more: Partial<LabelResult> = {},
): LabelResult => ({
  image,
  analysisId: null,
  version: 2.4,
  sessions: [],
  cover: { labels: { branching: 0.4, massive: 0.1 } },
  eventTags: [],
  preview: null,
  ...work,
  ...more,
});
