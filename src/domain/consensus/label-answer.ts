import type { JsonObject } from '../json';
import { isObject } from '../json';
import { labelOptionOf } from '../analysis/labelling/label-sets';
import { readLabelRecord } from '../analysis/labelling/label-record';
import { labellingOf } from '../analysis/labelling/labelling';
import { coverOfOutline } from './cover-classes';
import type { LabelledOutline, ReadAnswer } from './ballot';

/** Label of sand in sets where it is apart from water. */
const SAND_LABEL = 'sand';

/**
 * Answer of a step-by-step analysis (2§3, 2§4: versions 2.1 to 2.4, 3.1, 3.2, 4, 5): the labels of its outlines, those
 * drawn or split by an expert included, and its whole-image fill.
 */
export function readLabelAnswer(analysis: JsonObject): ReadAnswer {
  const read = readLabelRecord(analysis);
  if (read.kind === 'broken') return unreadable(read.reason);
  if (read.kind !== 'labels') return unreadable(`its version ${String(analysis['version'])} is unknown`);
  const { version, set, logs, unknown } = read;
  const state = labellingOf(version, set.outlines, logs);
  const size = { width: set.width, height: set.height };
  const ignored = [...unknown]
    .map(([label, count]) => `${count} with the unknown label "${label}"`)
    .concat(lostOutlines(analysis, new Set(set.outlines.flatMap(({ id, predicted }) => [id, predicted?.id ?? id]))))
    .sort();
  if (state.isBad) return { kind: 'answer', answer: { kind: 'bad' }, size, ignored };
  const hasSand = labelOptionOf(version.steps[0].set, SAND_LABEL) !== undefined;
  const outlines = state.outlines.map(({ id, rings, area, predicted }): LabelledOutline => {
    const label = state.labels.get(id);
    const cover = label === undefined ? null : coverOfOutline(label, predicted?.label ?? null, hasSand);
    return { id, rings, area, cover: cover === undefined || cover === 'bad' ? null : cover };
  });
  const zap = state.zap === null ? null : coverOfOutline(state.zap, null, hasSand);
  const fill = zap === undefined || zap === 'bad' ? null : zap;
  if (fill === null && outlines.every(({ cover }) => cover === null))
    return unreadable(
      outlines.length > 0
        ? 'none of its outlines has a label'
        : hasLabels(analysis)
          ? 'its outlines no longer exist'
          : 'it has no outlines',
    );
  return { kind: 'answer', answer: { kind: 'outlines', outlines, fill }, size, ignored };
}

const unreadable = (reason: string): ReadAnswer => ({ kind: 'unreadable', reason });

function polygonLabels({ otherAnswers }: JsonObject): readonly unknown[] {
  const list = isObject(otherAnswers) ? otherAnswers['polygon_labels'] : undefined;
  return Array.isArray(list) ? (list as readonly unknown[]) : [];
}

const hasLabels = (analysis: JsonObject): boolean => polygonLabels(analysis).some(isLabelled);

const isLabelled = (entry: unknown): boolean =>
  isObject(entry) && isObject(entry['labels']) && Object.keys(entry['labels']).length > 0;

/** Labels of outlines that the record no longer has (2§3 "polygon_labels list of predicted id and labels"). */
function lostOutlines(analysis: JsonObject, ids: ReadonlySet<string>): readonly string[] {
  const lost = polygonLabels(analysis).filter((entry) => {
    const id = isObject(entry) ? entry['predicted'] : undefined;
    return isLabelled(entry) && !(typeof id === 'string' || typeof id === 'number' ? ids.has(String(id)) : false);
  }).length;
  return lost === 0 ? [] : [`${lost} of outlines that no longer exist`];
}
