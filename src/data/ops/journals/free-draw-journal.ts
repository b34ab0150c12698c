import { categoryClass } from '../../../domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { PreservedTraces } from '../../../domain/analysis/free-draw/record';
import type { MarkEdit, MarkLog } from '../../../domain/analysis/mark-log';
import { replayMarkCommands } from '../../../domain/analysis/mark-log';
import { ReefError } from '../../../domain/errors';
import type { TraceFeature } from '../../../domain/geobuf/geojson';
import { isObject } from '../../../domain/json';
import type { JournalBegin, JournalCodec, ReadJournal, StoredEntry } from './journal-rows';
import { packLine, unpackLine } from './packed-outlines';

interface StoredMark {
  readonly kind: FreeDrawMark['kind'];
  readonly since: number;
  /** Category id; null: the eraser. */
  readonly id: string | null;
  readonly mod?: string;
  /** Lines of alternating x and y; one for a stroke, none for a zap. */
  readonly lines: readonly Int32Array[];
}

function packMark(mark: FreeDrawMark): StoredMark {
  const { kind, since, paints } = mark;
  const lines = kind === 'stroke' ? [mark.points] : kind === 'polygon' ? mark.rings : [];
  if (!Number.isFinite(since))
    throw new ReefError('bad-message', { field: 'since', message: 'A stroke without a time cannot be saved.' });
  return {
    kind,
    since,
    ...(paints === 'erase'
      ? { id: null }
      : { id: paints.type.id, ...(paints.mod === undefined ? {} : { mod: paints.mod }) }),
    lines: lines.map(packLine),
  };
}

/** Mark of a journal for display; if its class no longer exists, in the form that a record stores. */
type JournalMark =
  | { readonly kind: 'mark'; readonly mark: FreeDrawMark }
  | {
      readonly kind: 'unknown';
      readonly id: string;
      readonly feature: TraceFeature | null;
      readonly zap: { readonly since: number; readonly id: string } | null;
    };

/** Returns undefined for an invalid mark: its row is damaged. */
function parseMark(value: unknown): JournalMark | undefined {
  if (!isObject(value)) return undefined;
  const { kind, since, id, mod, lines } = value;
  if (
    (kind !== 'stroke' && kind !== 'polygon' && kind !== 'zap') ||
    typeof since !== 'number' ||
    !Number.isFinite(since) ||
    !(typeof id === 'string' || id === null) ||
    !Array.isArray(lines)
  )
    return undefined;
  const read = (lines as unknown[]).map(unpackLine);
  if (
    !read.every((line) => line !== undefined) ||
    (kind === 'stroke' && read.length !== 1) ||
    (kind === 'zap' && id === null)
  )
    return undefined;
  const paints = id === null ? 'erase' : categoryClass(id, typeof mod === 'string' ? mod : undefined);
  if (paints === undefined) {
    const tool = { since, id: id ?? '', ...(typeof mod === 'string' ? { mod } : {}), erase: false };
    if (kind === 'zap') return { kind: 'unknown', id: tool.id, feature: null, zap: tool };
    const geometry =
      kind === 'stroke'
        ? { type: 'LineString' as const, coordinates: read[0] ?? [] }
        : { type: 'Polygon' as const, coordinates: read };
    return { kind: 'unknown', id: tool.id, feature: { type: 'Feature', geometry, properties: tool }, zap: null };
  }
  if (kind === 'zap') return paints === 'erase' ? undefined : { kind: 'mark', mark: { kind, since, paints } };
  return {
    kind: 'mark',
    mark: kind === 'stroke' ? { kind, since, paints, points: read[0] ?? [] } : { kind, since, paints, rings: read },
  };
}

/** First entry of a tracing. */
interface FreeDrawBegin extends JournalBegin {
  /** Version of the record that is to come of it; absent in journals of older apps. */
  readonly version?: 1 | 3;
}

/** Edits of a tracing. */
export const FREE_DRAW_JOURNAL: JournalCodec<FreeDrawBegin, MarkEdit<FreeDrawMark>, MarkEdit<JournalMark>> = {
  kind: 'free-draw',
  pack: (edit) => (edit.kind === 'add' ? { do: 'add', mark: packMark(edit.mark) } : { do: edit.kind }),
  parse: (entry) => parseMarkEdit(entry, parseMark),
  packBegin: (begin) => begin,
  parseBegin: ({ version, ...begin }) => (version === 1 || version === 3 ? { ...begin, version } : begin),
};

/** Edit of a log of marks; undefined if it is not valid. */
export function parseMarkEdit<Mark>(
  entry: StoredEntry,
  parse: (mark: unknown) => Mark | undefined,
): MarkEdit<Mark> | undefined {
  switch (entry['do']) {
    case 'undo':
    case 'redo':
    case 'clear':
      return { kind: entry['do'] };
    case 'add': {
      const mark = parse(entry['mark']);
      return mark === undefined ? undefined : { kind: 'add', mark };
    }
    default:
      return undefined;
  }
}

/** Log of marks after all edits of a journal. */
interface FreeDrawState extends MarkLog<FreeDrawMark> {
  /** Traces of classes that no longer exist. */
  readonly unknownTraces: PreservedTraces;
}

/** @param first marks with which the work began */
export function replayFreeDraw(
  { edits }: Pick<ReadJournal<FreeDrawBegin, MarkEdit<JournalMark>>, 'edits'>,
  first: readonly FreeDrawMark[],
): FreeDrawState {
  const { marks, undone } = replayMarkCommands<JournalMark>(
    { marks: first.map((mark) => ({ kind: 'mark', mark })), undone: [] },
    edits,
  );
  const unknownMarks = marks.filter((mark) => mark.kind === 'unknown');
  return {
    marks: visibleMarks(marks),
    undone: visibleMarks(undone),
    unknownTraces: {
      features: unknownMarks.flatMap(({ feature }) => feature ?? []),
      zaps: unknownMarks.flatMap(({ zap }) => (zap === null ? [] : [{ ...zap }])),
    },
  };
}

const visibleMarks = (marks: readonly JournalMark[]): readonly FreeDrawMark[] =>
  marks.flatMap((mark) => (mark.kind === 'mark' ? [mark.mark] : []));
