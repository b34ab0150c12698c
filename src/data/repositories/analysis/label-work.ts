import type { LabelSession } from '../../../domain/analysis/labelling/label-marks';
import { readLabelRecord } from '../../../domain/analysis/labelling/label-record';
import type { OutlineSet } from '../../../domain/analysis/labelling/outline';
import { recordVersion } from '../../../domain/analysis/record-head';
import type { AnalysisId } from '../../../domain/ids';
import { makeId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import type { JournalBase, ReadJournal } from '../../ops/journals/journal-rows';
import type { LabelBegin } from '../../ops/journals/label-journal';
import { LABEL_JOURNAL, replayLabels } from '../../ops/journals/label-journal';
import type { RepositoryContext } from '../repository-context';
import { JournalledWork } from './journalled-work';
import type { OpenedWork } from './journalled-work';
import { baseOfLabels, logsOfBase, saveLabels, storedLabels } from './label-records';
import type { OwnAnalyses } from './own-analyses';
import type { AnalysisRepository, LabellingWork, TraceImage } from './types';

/** Pause that ends a session, ms: a photograph left open overnight is not a night of labelling. */
const SESSION_GAP_MS = 10 * 60_000;

interface OpenedLabels extends OpenedWork {
  readonly version: number;
  readonly outlines: OutlineSet;
  /** ISO 8601. */
  readonly sessionStart: string;
}

type Wanted = Parameters<AnalysisRepository['labelling']>[1];

/** Outlines of a record that cannot be read. */
const NO_OUTLINES: OutlineSet = { source: 'segmentation', model: '', width: 0, height: 0, outlines: [] };

/**
 * Labellings in the repository.
 *
 * @param loadOutlines as `AnalysisRepository.outlines`
 * @param fits true if outlines have the proportions of the picture as it is now
 */
export function labelWork(
  parts: RepositoryContext,
  own: OwnAnalyses,
  loadOutlines: AnalysisRepository['outlines'],
  fits: (image: TraceImage, outlines: OutlineSet) => Promise<boolean>,
): Pick<AnalysisRepository, 'labelling' | 'confirmLabelling' | 'labelJournal' | 'saveLabelling'> {
  const { store } = parts;
  /** Settings with which each photograph was opened: its journal may open it again. */
  const wanted = new Map<string, Wanted>();

  const open = async (image: TraceImage, options: Wanted): Promise<LabellingWork> => {
    wanted.set(image.id, options);
    const sessionStart = store.isoNow();
    const freshId = makeId<AnalysisId>(store.host.randomBytes);
    const name = await work.nameOf(image.id);
    const [[stored], read] =
      name === null ? [[], null] : await Promise.all([storedLabels(parts, own, image.id), work.read(name)]);
    if (name !== null && read !== null && read.at !== null) {
      // Without its first row a journal has no outlines: those of the record are the same, and those of the photograph
      // if the same node made them.
      const [known, base] =
        read.begin === null && stored?.read.kind === 'labels'
          ? [stored.read, baseOfLabels(stored)]
          : [null, read.begin?.base ?? null];
      const version = read.begin?.version ?? known?.version.version ?? options.version;
      const outlines = read.begin?.outlines ?? known?.set ?? (await loadOutlines(image, options));
      const analysisId = read.begin?.analysisId ?? base?.analysisId ?? freshId;
      work.set(name, { base, analysisId, version, outlines, sessionStart, readOnly: null });
      return {
        analysisId: base?.analysisId ?? null,
        version,
        from: 'unfinished',
        readOnly: null,
        outlines,
        logs: replayLabels(read.edits, logsOfBase(base)),
        sessions: [...sessionsOfBase(base), ...sessionsOf(read)],
        damaged: read.damaged,
        isPictureChanged: !(await fits(image, outlines)),
      };
    }
    if (name !== null && stored !== undefined) {
      const known = stored.read.kind === 'labels' ? stored.read : null;
      const readOnly = stored.read.kind === 'labels' ? null : stored.read.kind;
      const outlines = known?.set ?? NO_OUTLINES;
      const version = known?.version.version ?? versionOf(stored.body, options);
      work.set(name, { base: baseOfLabels(stored), analysisId: stored.id, version, outlines, sessionStart, readOnly });
      return {
        analysisId: stored.id,
        version,
        from: 'stored',
        readOnly,
        outlines,
        logs: known?.logs ?? {},
        sessions: known?.sessions ?? [],
        damaged: 0,
        isPictureChanged: readOnly === null && !(await fits(image, outlines)),
      };
    }
    const outlines = await loadOutlines(image, options);
    const { version } = options;
    if (name !== null)
      work.set(name, { base: null, analysisId: freshId, version, outlines, sessionStart, readOnly: null });
    return {
      analysisId: null,
      version,
      from: 'nothing',
      readOnly: null,
      outlines,
      logs: {},
      sessions: [],
      damaged: 0,
      isPictureChanged: false,
    };
  };

  const work = new JournalledWork(parts, {
    codec: LABEL_JOURNAL,
    open: (image) => {
      const options = wanted.get(image.id);
      if (options === undefined) throw new RangeError('A labelling must be opened before it is journalled.');
      return open(image, options);
    },
    begin: ({ version, outlines, sessionStart }: OpenedLabels) => ({ version, outlines, sessionStart }),
    storedIds: async (id) => (await storedLabels(parts, own, id)).map((record) => record.id),
  });

  return {
    labelling: open,
    confirmLabelling: ({ id }) => work.confirmNew(id, (state) => ({ ...state, sessionStart: store.isoNow() })),
    labelJournal: (image) => ({ apply: work.journal(image) }),
    saveLabelling: async (result) => {
      const after = await work.save(result.image, result.uid, async (state, journal) => {
        const base = await saveLabels(parts, result, state, journal);
        const read = readLabelRecord(base.body);
        return {
          base,
          analysisId: base.analysisId,
          version: result.version,
          // Drawn outlines are among those of the record, erased ones are not.
          outlines: read.kind === 'labels' ? read.set : result.outlines,
          sessionStart: store.isoNow(),
          readOnly: null,
        };
      });
      return after.analysisId;
    },
  };
}

/** Version that a record claims. */
function versionOf(body: JsonObject, { version }: Wanted): number {
  const claimed = recordVersion(body);
  return Number.isFinite(claimed) ? claimed : version;
}

function sessionsOfBase(base: JournalBase | null): readonly LabelSession[] {
  const read = base === null ? undefined : readLabelRecord(base.body);
  return read?.kind === 'labels' ? read.sessions : [];
}

/** Sessions in which the rows of a journal were written: one ends with its tab, or with a long pause. */
function sessionsOf({ begin, written }: Pick<ReadJournal<LabelBegin, unknown>, 'begin' | 'written'>): LabelSession[] {
  const spans: { tab: string; start: string; end: string }[] = [];
  for (const { tab, at } of written) {
    const last = spans.at(-1);
    if (last !== undefined && last.tab === tab && Date.parse(at) - Date.parse(last.end) <= SESSION_GAP_MS)
      last.end = at;
    else spans.push({ tab, start: last === undefined ? (begin?.sessionStart ?? at) : at, end: at });
  }
  return spans.map(({ start, end }) => ({
    startTime: start,
    endTime: end,
    timeTaken: Math.max(0, Math.round((Date.parse(end) - Date.parse(start)) / 1000)),
  }));
}
