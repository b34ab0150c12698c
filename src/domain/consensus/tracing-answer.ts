import type { JsonObject } from '../json';
import { readExpertForm } from '../analysis/free-draw/expert-form';
import { readFreeDraw } from '../analysis/free-draw/record';
import { ANALYSIS_LIMITS } from '../limits';
import type { CoverClass, CoverShares } from '../results/cover';
import { coverOfField } from './cover-classes';
import type { ReadAnswer } from './ballot';
import { shareRecord } from './shares';

/** Pen of free-draw, relative to the picture's width (2§9 "Pen line width 10", on the 800 px preview). */
const PEN_SHARE = ANALYSIS_LIMITS.penWidth / ANALYSIS_LIMITS.imageSizePreview;

/**
 * Answer of a free-draw analysis (2§3: versions 1 and 3): its marks, or the typed percentages of an expert if it has no
 * marks. Marks have places and come first where a record has both.
 */
export function readTracingAnswer(analysis: JsonObject): ReadAnswer {
  const read = readFreeDraw(analysis);
  if (read.kind === 'broken') return { kind: 'unreadable', reason: read.reason };
  if (read.kind !== 'free-draw')
    return { kind: 'unreadable', reason: `its version ${String(analysis['version'])} is unknown` };
  const form = readExpertForm(analysis);
  const { marks, size, unknown, isForm } = read;
  const ignored = [...unknown].map(([id, count]) => `${count} of the unknown class "${id}"`).sort();
  if (form?.isBadImage === true || marks.some(({ paints }) => paints !== 'erase' && paints.type.flag))
    return { kind: 'answer', answer: { kind: 'bad' }, size, ignored };
  if (!isForm && (marks.length > 0 || form === null))
    return marks.length === 0
      ? { kind: 'unreadable', reason: unknown.size > 0 ? 'none of its classes is known' : 'it has no traces' }
      : { kind: 'answer', answer: { kind: 'marks', marks, penShare: PEN_SHARE }, size, ignored };
  return typedAnswer(form?.percent ?? {}, ignored);
}

/** Typed percentages as shares: what is left to 100 is unknown, more than 100 is scaled to 100. */
function typedAnswer(percent: Readonly<Record<string, number>>, ignoredMarks: readonly string[]): ReadAnswer {
  const sums = new Map<CoverClass, number>();
  const ignored = [...ignoredMarks];
  for (const [name, value] of Object.entries(percent).sort(([one], [other]) => (one < other ? -1 : 1))) {
    const cover = coverOfField(name);
    if (cover === undefined) ignored.push(`the percentage of the unknown field "${name}"`);
    // Its area is erased, of whatever class.
    const counted = cover ?? 'unknown';
    sums.set(counted, (sums.get(counted) ?? 0) + value / 100);
  }
  const total = [...sums.values()].reduce((sum, share) => sum + share, 0);
  if (total <= 0) return { kind: 'unreadable', reason: 'it has no percentages' };
  const scale = Math.max(1, total);
  const rest = Math.max(0, 1 - total);
  const shares: CoverShares = shareRecord((cover) => (sums.get(cover) ?? 0) / scale + (cover === 'unknown' ? rest : 0));
  return { kind: 'answer', answer: { kind: 'shares', shares }, size: null, ignored: ignored.sort() };
}
