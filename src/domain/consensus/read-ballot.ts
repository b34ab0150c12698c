import type { JsonObject } from '../json';
import { isObject } from '../json';
import { recordVersion } from '../analysis/record-head';
import { isLabelVersion } from '../analysis/labelling/label-versions';
import type { OutlineSet } from '../analysis/labelling/outline';
import type { Ballot, LabelledOutline, PictureSize, UnreadableBallot } from './ballot';
import { MODEL_ANALYST } from './ballot';
import { coverOfPrediction } from './cover-classes';
import { PAINTED_MAX, paintedArea } from './painted-area';
import { readLabelAnswer } from './label-answer';
import { readTracingAnswer } from './tracing-answer';

/** Largest relative difference of two aspect ratios of one picture: its sizes are rounded to whole pixels. */
const RATIO_TOLERANCE = 0.02;

/**
 * Reads an analysis of any version (2§3, 2§4: 1, 2.1 to 2.4, 3 to 3.2, 4, 5) as a ballot. Never throws.
 *
 * @param analysis body of the record
 * @param picture size of the photograph, px, upright; null if it is not known
 */
export function readBallot(analysis: JsonObject, picture: PictureSize | null): Ballot | UnreadableBallot {
  const { id, user } = analysis;
  const analysisId = typeof id === 'string' ? id : '';
  const uid = isObject(user) ? user['uid'] : undefined;
  const analyst = typeof uid === 'string' ? uid : '';
  const unreadable = (reason: string): UnreadableBallot => ({ kind: 'unreadable', analysisId, analyst, reason });
  if (analysisId === '') return unreadable('it has no id');
  if (analyst === '' || analyst === MODEL_ANALYST) return unreadable('it has no author');
  const version = recordVersion(analysis);
  const read = isLabelVersion(version) ? readLabelAnswer(analysis) : readTracingAnswer(analysis);
  if (read.kind === 'unreadable') return unreadable(read.reason);
  const { answer, size, ignored } = read;
  if (size !== null && picture !== null && !isSamePicture(size, picture))
    return unreadable(
      `it is of a picture of ${size.width} by ${size.height} px, which is not the shape of this photograph`,
    );
  if (paintedArea(answer) > PAINTED_MAX) return unreadable(`it paints its picture more than ${PAINTED_MAX} times over`);
  const isExpert = isObject(user) && user['isExpert'] === true;
  return { kind: 'ballot', analysisId, analyst, isExpert, version, size, answer, ignored };
}

const isSize = ({ width, height }: PictureSize): boolean => width > 0 && height > 0;

/** True if both sizes have one aspect ratio: places are normalised, so that the scale does not matter. */
function isSamePicture(one: PictureSize, other: PictureSize): boolean {
  if (!isSize(one) || !isSize(other)) return true;
  return Math.abs((one.width * other.height) / (one.height * other.width) - 1) <= RATIO_TOLERANCE;
}

/**
 * Labels of the model for its own outlines. It is not an analyst of the consensus, which experts, model and citizens
 * are compared by (2§1): a sheet of this ballot alone has the model's cover.
 */
export function modelBallot({ model, width, height, outlines }: OutlineSet): Ballot {
  const ignored = new Set<string>();
  const labelled = outlines.map(({ id, rings, area, predicted }): LabelledOutline => {
    const cover = predicted === null ? null : coverOfPrediction(predicted.label);
    if (cover === undefined || cover === 'bad') ignored.add(`its label "${predicted?.label ?? ''}" has no cover class`);
    return { id, rings, area, cover: cover === undefined || cover === 'bad' ? null : cover };
  });
  return {
    kind: 'ballot',
    analysisId: model,
    analyst: MODEL_ANALYST,
    isExpert: false,
    version: null,
    size: { width, height },
    answer: { kind: 'outlines', outlines: labelled, fill: null },
    ignored: [...ignored].sort(),
  };
}
