import type { LabelEdit, LabelLogs, LabelMark, LabelStepId } from '../../../domain/analysis/labelling/label-marks';
import { LABEL_STEPS } from '../../../domain/analysis/labelling/label-marks';
import type { OutlineSet } from '../../../domain/analysis/labelling/outline';
import { EMPTY_LOG, replayMarkCommands } from '../../../domain/analysis/mark-log';
import { ReefError } from '../../../domain/errors';
import { isObject } from '../../../domain/json';
import { parseMarkEdit } from './free-draw-journal';
import type { JournalBegin, JournalCodec } from './journal-rows';
import { packLine, packOutlines, unpackLine, unpackOutlines } from './packed-outlines';

/** First entry of a labelling: it holds the outlines, so that a later segmentation orphans no label. */
export interface LabelBegin extends JournalBegin {
  readonly version: number;
  readonly outlines: OutlineSet;
  /** ISO 8601. */
  readonly sessionStart: string;
}

/** Edits of a labelling, each with its step. */
export const LABEL_JOURNAL: JournalCodec<LabelBegin, LabelEdit, LabelEdit> = {
  kind: 'labels',
  pack: (edit) =>
    edit.kind === 'add'
      ? { do: 'add', step: edit.step, mark: packMark(edit.mark) }
      : { do: edit.kind, step: edit.step },
  parse: (entry) => {
    const step = LABEL_STEPS.find((one) => one === entry['step']);
    const edit = parseMarkEdit(entry, parseMark);
    return step === undefined || edit === undefined ? undefined : { step, ...edit };
  },
  packBegin: (begin) => ({ ...begin, outlines: packOutlines(begin.outlines) }),
  parseBegin: (begin) => {
    const { version, sessionStart } = begin;
    const outlines = unpackOutlines(begin['outlines']);
    if (typeof version !== 'number' || typeof sessionStart !== 'string' || outlines === undefined) return undefined;
    return { ...begin, version, sessionStart, outlines };
  },
};

/** Logs of all steps after the edits of a journal. @param first logs with which the work began */
export function replayLabels(edits: readonly LabelEdit[], first: LabelLogs): LabelLogs {
  const byStep = new Map<LabelStepId, LabelEdit[]>();
  for (const edit of edits) byStep.set(edit.step, [...(byStep.get(edit.step) ?? []), edit]);
  const replayed = [...byStep].map(([step, some]) => [step, replayMarkCommands(first[step] ?? EMPTY_LOG, some)]);
  return { ...first, ...(Object.fromEntries(replayed) as LabelLogs) };
}

function packMark(mark: LabelMark): object {
  if (!Number.isFinite(mark.since))
    throw new ReefError('bad-message', { field: 'since', message: 'A label without a time cannot be saved.' });
  return mark.kind === 'draw' ? { ...mark, points: packLine(mark.points) } : mark;
}

function parseMark(value: unknown): LabelMark | undefined {
  if (!isObject(value)) return undefined;
  const { kind, since, outline, label } = value;
  if (typeof since !== 'number' || !Number.isFinite(since)) return undefined;
  switch (kind) {
    case 'label':
      return typeof outline === 'string' && typeof label === 'string' ? { kind, since, outline, label } : undefined;
    case 'bad':
    case 'answer':
    case 'zap':
      return typeof label === 'string' ? { kind, since, label } : undefined;
    case 'erase':
      return typeof outline === 'string' ? { kind, since, outline } : undefined;
    case 'draw': {
      const points = unpackLine(value['points']);
      return typeof outline === 'string' && points !== undefined ? { kind, since, outline, points } : undefined;
    }
    default:
      return undefined;
  }
}
