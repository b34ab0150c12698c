import { recordVersion } from '../../../domain/analysis/record-head';
import type { SurveyId } from '../../../domain/ids';
import { isObject } from '../../../domain/json';
import { ANALYSIS_LIMITS } from '../../../domain/limits';
import type { JournalRow } from '../../ops/database';
import { FORM_JOURNAL, replayForm } from '../../ops/journals/form-journal';
import { FREE_DRAW_JOURNAL, replayFreeDraw } from '../../ops/journals/free-draw-journal';
import type { JournalBase, JournalBegin, JournalKey, JournalKind, ReadJournal } from '../../ops/journals/journal-rows';
import { parseRowId, readRows } from '../../ops/journals/journal-rows';
import { LABEL_JOURNAL, replayLabels } from '../../ops/journals/label-journal';
import type { LiveQuery } from '../live';
import { createLiveQuery } from '../live-query';
import type { RepositoryContext } from '../repository-context';
import { readDocuments, textOr } from '../repository-context';
import { marksOfBase } from './analysis-records';
import { draftOfBase } from './form-work';
import { logsOfBase } from './label-records';
import type { UnfinishedWork } from './types';

/** Unsaved work of the current user, of all kinds, newest first. */
export function liveUnfinished(parts: RepositoryContext): LiveQuery<UnfinishedWork> {
  const { store, access } = parts;
  return createLiveQuery<UnfinishedWork>({
    resetOn: access.changed,
    start: (tell) => {
      let ended = false;
      let rows: readonly JournalRow[] | undefined;
      const show = (): void => {
        if (rows === undefined) return;
        unfinishedOf(parts, rows).then(
          (items) => {
            if (!ended) tell.items(items);
          },
          (error: unknown) => tell.failed(error),
        );
      };
      const stops = [
        store.watch(
          () => store.db.journals.toArray(),
          (now) => {
            rows = now;
            show();
          },
        ),
        access.changed.subscribe(show),
      ];
      return () => {
        ended = true;
        stops.forEach((stop) => stop());
      };
    },
  });
}

/** Unsaved work of one journal. */
interface Found {
  readonly key: JournalKey;
  readonly survey: JournalBegin['survey'] | null;
  readonly version: number | null;
  /** Number of marks, labels and answers, or typed entries. */
  readonly marks: number;
  readonly isEmpty: boolean;
  readonly at: string;
}

async function unfinishedOf(parts: RepositoryContext, rows: readonly JournalRow[]): Promise<readonly UnfinishedWork[]> {
  const { ownIds } = parts.access;
  const journals = new Map<string, { readonly key: JournalKey; readonly rows: JournalRow[] }>();
  for (const row of rows) {
    const key = parseRowId(row.id);
    if (key === undefined || !ownIds.has(key.uid)) continue;
    const name = `${key.kind}/${key.imageId}`;
    const known = journals.get(name);
    if (known === undefined) journals.set(name, { key, rows: [row] });
    else known.rows.push(row);
  }
  const found = [...journals.values()].map(({ key, rows: its }) => READERS[key.kind](key, its));
  const unnamed = found.filter(({ survey }) => survey === null).map(({ key }) => key.imageId);
  const surveys = new Map<string, { readonly [member: string]: unknown }>(
    (await readDocuments(parts, 'image', unnamed)).map(({ docId, folded }) => [
      docId,
      isObject(folded.doc['survey']) ? folded.doc['survey'] : {},
    ]),
  );
  return found
    .filter(({ isEmpty }) => !isEmpty)
    .map(({ key: { kind, imageId }, survey, version, marks, at }): UnfinishedWork => {
      const of: { readonly [member: string]: unknown } = survey ?? surveys.get(imageId) ?? {};
      return {
        kind,
        version,
        imageId,
        surveyId: textOr(of['id'], '') as SurveyId,
        surveyName: textOr(of['name'], ''),
        marks,
        at,
      };
    })
    .filter(({ surveyId }) => surveyId !== '')
    .sort((a, b) => (a.at < b.at ? 1 : -1));
}

const READERS: Readonly<Record<JournalKind, (key: JournalKey, rows: readonly JournalRow[]) => Found>> = {
  'free-draw': (key, rows) => {
    const read = readRows(FREE_DRAW_JOURNAL, rows, rows.length);
    const { marks, undone } = replayFreeDraw(read, marksOfBase(read.begin?.base ?? null));
    return {
      ...commonOf(key, read),
      version: read.begin?.version ?? versionOf(read.begin?.base ?? null),
      marks: marks.length,
      isEmpty: marks.length === 0 && undone.length === 0,
    };
  },
  labels: (key, rows) => {
    const read = readRows(LABEL_JOURNAL, rows, rows.length);
    const logs = Object.values(replayLabels(read.edits, logsOfBase(read.begin?.base ?? null)));
    const marks = logs.reduce((sum, log) => sum + log.marks.length, 0);
    return {
      ...commonOf(key, read),
      version: read.begin?.version ?? null,
      marks,
      isEmpty: marks === 0 && logs.every(({ undone }) => undone.length === 0),
    };
  },
  form: (key, rows) => {
    const read = readRows(FORM_JOURNAL, rows, rows.length);
    const draft = replayForm(read.edits, draftOfBase(read.begin?.base ?? null));
    const typed = [...Object.values(draft.texts), draft.dominantCoral].filter((text) => text.trim() !== '').length;
    return {
      ...commonOf(key, read),
      version: ANALYSIS_LIMITS.freeDrawVersion,
      marks: typed + (draft.isBadImage ? 1 : 0),
      isEmpty: read.edits.length === 0,
    };
  },
};

const commonOf = (
  key: JournalKey,
  { begin, at }: ReadJournal<JournalBegin, unknown>,
): Pick<Found, 'key' | 'survey' | 'at'> => ({ key, survey: begin?.survey ?? null, at: at ?? '' });

function versionOf(base: JournalBase | null): number | null {
  const version = base === null ? NaN : recordVersion(base.body);
  return Number.isFinite(version) ? version : null;
}
