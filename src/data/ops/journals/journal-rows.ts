import type { AnalysisId, ImageId, OpId, SurveyId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import { isObject } from '../../../domain/json';
import type { JournalRow } from '../database';

/** Work that a photograph can hold unsaved, one journal each: they never disturb one another. */
const JOURNAL_KINDS = ['free-draw', 'labels', 'form'] as const;
export type JournalKind = (typeof JOURNAL_KINDS)[number];

export interface JournalKey {
  readonly kind: JournalKind;
  readonly uid: string;
  readonly imageId: ImageId;
}

const ROW_ID_DIGITS = 8;

/**
 * Start of the ids of a journal's rows: `<uid>/<imageId>/` for tracing, as before there were kinds, else
 * `<uid>/<kind>/<imageId>/`. None is the start of another, also for an older app in another tab.
 */
export const journalPrefix = ({ kind, uid, imageId }: JournalKey): string =>
  kind === 'free-draw' ? `${uid}/${imageId}/` : `${uid}/${kind}/${imageId}/`;

export const rowIdOf = (prefix: string, n: number): string => `${prefix}${String(n).padStart(ROW_ID_DIGITS, '0')}`;

/** Journal and number of a row; undefined for an id of another form. */
export function parseRowId(id: string): (JournalKey & { readonly n: number }) | undefined {
  const parts = id.split('/');
  const [uid, n] = [parts[0], parts.at(-1)];
  if (uid === undefined || n === undefined || !/^\d{8}$/.test(n)) return undefined;
  if (parts.length === 3) return { kind: 'free-draw', uid, imageId: parts[1] as ImageId, n: Number(n) };
  const kind = JOURNAL_KINDS.find((one) => one !== 'free-draw' && one === parts[1]);
  return parts.length === 4 && kind !== undefined
    ? { kind, uid, imageId: parts[2] as ImageId, n: Number(n) }
    : undefined;
}

export interface JournalBase {
  readonly analysisId: AnalysisId;
  /** Its current operations when opened: those that saving replaces. */
  readonly writes: readonly OpId[];
  /** Record without its preview. */
  readonly body: JsonObject;
}

/** First entry of a journal, as stored. */
export interface JournalBegin {
  readonly do: 'begin';
  readonly survey: { readonly id: SurveyId; readonly name: string };
  readonly base: JournalBase | null;
  /** Id of the resulting analysis, new or existing: saving twice creates one. */
  readonly analysisId: AnalysisId;
}

/** Entry of a row before it is parsed. */
export interface StoredEntry {
  readonly [member: string]: unknown;
}

/** Form of the edits of one kind of journal in its rows. */
export interface JournalCodec<Begin extends JournalBegin, Edit, Parsed> {
  readonly kind: JournalKind;
  /** Stored form. @throws ReefError `bad-message` for an edit that no row can hold */
  readonly pack: (edit: Edit) => object;
  /** Returns undefined for an invalid edit: its row is damaged. */
  readonly parse: (entry: StoredEntry) => Parsed | undefined;
  readonly packBegin: (begin: Begin) => object;
  /** @param begin whose common members are valid */
  readonly parseBegin: (begin: JournalBegin & StoredEntry) => Begin | undefined;
}

/** Rows of a journal, read. */
export interface ReadJournal<Begin, Parsed> {
  readonly begin: Begin | null;
  readonly edits: readonly Parsed[];
  /** Number of missing or unreadable rows: their edits are lost. */
  readonly damaged: number;
  /** ISO 8601 time of the last row; null if it is empty. */
  readonly at: string | null;
  /** Times of its rows by the tab that wrote them, ISO 8601, in order. */
  readonly written: readonly { readonly tab: string; readonly at: string }[];
}

export const rowNumberOf = ({ id }: JournalRow): number => parseRowId(id)?.n ?? 0;

/**
 * Reads the rows of a journal.
 *
 * @param last number of its last row, which is the expected number of rows
 */
export function readRows<Begin extends JournalBegin, Parsed>(
  codec: Pick<JournalCodec<Begin, never, Parsed>, 'parse' | 'parseBegin'>,
  rows: readonly JournalRow[],
  last: number,
): ReadJournal<Begin, Parsed> {
  let damaged = last - rows.length;
  let begin: Begin | null = null;
  const edits: Parsed[] = [];
  for (const [i, row] of rows.entries()) {
    const entries: readonly unknown[] = Array.isArray(row.entries) ? row.entries : [undefined];
    for (const [j, entry] of entries.entries()) {
      const read = readEntry(codec, entry);
      // The readable start of a row is used, but an unknown order is never guessed: the rest of the row is dropped.
      if (read === undefined) {
        damaged += 1;
        break;
      }
      if (read.kind === 'edit') edits.push(read.edit);
      else if (i === 0 && j === 0) begin = read.begin;
    }
  }
  return { begin, edits, damaged, at: rows.at(-1)?.at ?? null, written: rows.map(({ tab, at }) => ({ tab, at })) };
}

type ReadEntry<Begin, Parsed> =
  { readonly kind: 'begin'; readonly begin: Begin } | { readonly kind: 'edit'; readonly edit: Parsed };

function readEntry<Begin extends JournalBegin, Parsed>(
  codec: Pick<JournalCodec<Begin, never, Parsed>, 'parse' | 'parseBegin'>,
  entry: unknown,
): ReadEntry<Begin, Parsed> | undefined {
  if (!isObject(entry)) return undefined;
  if (entry['do'] === 'begin') {
    const common = parseBegin(entry);
    const begin = common === undefined ? undefined : codec.parseBegin(common);
    return begin === undefined ? undefined : { kind: 'begin', begin };
  }
  const edit = codec.parse(entry);
  return edit === undefined ? undefined : { kind: 'edit', edit };
}

/** First entry of a journal of any kind; undefined if it is not valid. */
export function parseBegin(entry: StoredEntry): (JournalBegin & StoredEntry) | undefined {
  const { survey, base, analysisId } = entry;
  if (
    entry['do'] !== 'begin' ||
    typeof analysisId !== 'string' ||
    !isObject(survey) ||
    typeof survey['id'] !== 'string' ||
    typeof survey['name'] !== 'string'
  )
    return undefined;
  const isBase =
    isObject(base) && typeof base['analysisId'] === 'string' && Array.isArray(base['writes']) && isObject(base['body']);
  return base === null || isBase ? (entry as unknown as JournalBegin & StoredEntry) : undefined;
}
