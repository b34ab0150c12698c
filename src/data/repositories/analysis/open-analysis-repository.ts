import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { MarkEdit } from '../../../domain/analysis/mark-log';
import type { PreservedTraces } from '../../../domain/analysis/free-draw/record';
import { NO_PRESERVED_TRACES } from '../../../domain/analysis/free-draw/record';
import { ReefError } from '../../../domain/errors';
import type { AnalysisId, ImageId } from '../../../domain/ids';
import { makeId } from '../../../domain/ids';
import { isObject } from '../../../domain/json';
import { CensusImageCache } from '../../cache/census-image-cache';
import { otherTabError } from '../../ops/append';
import type { JournalBegin, JournalKey } from '../../ops/stroke-journals';
import { journalEntry, journalPrefix, StrokeJournals } from '../../ops/stroke-journals';
import { findImage } from './analysis-images';
import { liveOwnAnalyses, liveUnfinished } from './analysis-lists';
import { loadCorrectedPicture, loadPicture } from './analysis-pictures';
import type { OpenedAnalysis } from './analysis-records';
import {
  baseOf,
  keptOfBase,
  marksOfBase,
  sizeOfBase,
  readOnlyError,
  saveForm,
  saveFreeDraw,
  storedForm,
  storedRecords,
  mergeKept,
} from './analysis-records';
import type { AnalysisRepository, FreeDrawWork, StrokeJournal, TraceImage } from './types';
import { nextImage, preload } from './next-image';
import { OwnAnalyses } from './own-analyses';
import type { RepositoryContext } from '../repository-context';
import { currentPerson, textOr } from '../repository-context';
import { RolesCache, NO_ROLES } from '../account/person-roles';
import { liveSurveyAnalyses } from './survey-analyses';

export type OpenAnalysisRepository = AnalysisRepository & { readonly close: () => void };

const NO_WORK: FreeDrawWork = {
  analysisId: null,
  marks: [],
  undone: [],
  from: 'nothing',
  readOnly: null,
  unknown: new Map(),
  size: null,
  damaged: 0,
};

/** Opens the repository itself; `analysis-repository.ts` loads it lazily. */
export function openAnalysisRepository(parts: RepositoryContext, name: string): OpenAnalysisRepository {
  const { store, person, access } = parts;
  const cache = new CensusImageCache(store.host, name);
  const own = new OwnAnalyses(parts);
  const journals = new StrokeJournals(store);
  const roles = new RolesCache(parts);
  /** State shown in this tab, by journal. */
  const opened = new Map<string, OpenedAnalysis>();
  const keyOf = ({ uid, imageId }: JournalKey): string => `${uid}/${imageId}`;

  /** Journal of the photograph: one person has several ids after signing in to the cloud. */
  const journalName = async (imageId: ImageId): Promise<JournalKey | null> => {
    const uid = person.get()?.uid;
    if (uid === undefined) return null;
    for (const id of new Set([uid, ...access.ownIds])) {
      const there = await store.run(() =>
        store.db.journals.where('id').startsWith(`${id}/${imageId}/`).limit(1).count(),
      );
      if (there > 0) return { uid: id, imageId };
    }
    return { uid, imageId };
  };
  const begin = (journal: JournalKey, { survey }: TraceImage): JournalBegin => ({
    do: 'begin',
    survey: { id: survey.id, name: survey.name },
    ...openedState(journal),
  });
  const openedState = (journal: JournalKey): Pick<OpenedAnalysis, 'base' | 'analysisId'> => {
    const { base, analysisId } = opened.get(keyOf(journal)) ?? fresh();
    return { base, analysisId };
  };
  const fresh = (): OpenedAnalysis => ({
    base: null,
    analysisId: makeId<AnalysisId>(store.host.randomBytes),
    kept: NO_PRESERVED_TRACES,
    readOnly: null,
  });

  const open = async (image: TraceImage): Promise<FreeDrawWork> => {
    const journal = await journalName(image.id);
    if (journal === null) return NO_WORK;
    const stored = (await storedRecords(parts, own, image))[0];
    const base = stored === undefined ? null : baseOf(stored);
    const read = await journals.read(journal, (first) => marksOfBase(first === null ? base : first.base));
    if (read.at !== null) {
      const from = read.begin === null ? base : read.begin.base;
      const kept = mergeKept(keptOfBase(from), read.unknownTraces);
      opened.set(keyOf(journal), {
        base: from,
        analysisId: read.begin?.analysisId ?? from?.analysisId ?? fresh().analysisId,
        kept,
        readOnly: null,
      });
      return {
        analysisId: from?.analysisId ?? null,
        marks: read.marks,
        undone: read.undone,
        from: 'unfinished',
        readOnly: null,
        unknown: countUnknown(kept),
        size: sizeOfBase(from),
        damaged: read.damaged,
      };
    }
    if (stored === undefined) {
      opened.set(keyOf(journal), fresh());
      return NO_WORK;
    }
    const readOnly = stored.read.kind === 'free-draw' ? null : stored.read.kind;
    const kept = keptOfBase(base);
    opened.set(keyOf(journal), { base, analysisId: stored.id, kept, readOnly });
    const marks = marksOfBase(base);
    return {
      analysisId: stored.id,
      marks,
      undone: [],
      from: stored.read.kind === 'free-draw' && stored.read.isForm ? 'nothing' : 'stored',
      readOnly,
      unknown: countUnknown(kept),
      size: sizeOfBase(base),
      damaged: 0,
    };
  };

  /** Requires that a photograph opened as new still has no analysis, so that another tab's work is not duplicated. */
  const requireStillNew = async (of: JournalKey, { analysisId }: OpenedAnalysis): Promise<void> => {
    if ((await store.run(() => store.db.journals.where('id').startsWith(journalPrefix(of)).limit(1).count())) > 0)
      return;
    await parts.opIndex.follow();
    if ((await storedRecords(parts, own, { id: of.imageId })).some(({ id }) => id !== analysisId))
      throw otherTabError();
  };

  const journal = (image: TraceImage): StrokeJournal => {
    const uid = person.get()?.uid ?? null;
    // One lookup for all strokes preserves their order.
    let named: Promise<JournalKey> | undefined;
    const name = async (): Promise<JournalKey> => {
      const of = await journalName(image.id);
      if (of === null) throw personChangedError();
      const shown = opened.get(keyOf(of));
      if (shown === undefined) await open(image);
      else if (shown.base === null) await requireStillNew(of, shown);
      return of;
    };
    const apply = async (edit: MarkEdit<FreeDrawMark>): Promise<void> => {
      if (uid === null || !access.ownIds.has(uid)) throw personChangedError();
      const entry = journalEntry(edit);
      named ??= name().catch((error: unknown) => {
        named = undefined;
        throw error;
      });
      const of = await named;
      if ((opened.get(keyOf(of))?.readOnly ?? null) !== null) throw readOnlyError();
      await journals.add(of, entry, () => begin(of, image));
    };
    return { apply };
  };

  return {
    image: (surveyId, imageId) => findImage(parts, cache, surveyId, imageId),
    picture: (image, size) => loadPicture(parts, cache, image, size),
    corrected: (image, size) => loadCorrectedPicture(parts, cache, image, size),
    next: (wanted) => nextImage(parts, cache, own, wanted),
    preload: (image) => preload(parts, cache, image),
    freeDraw: open,
    journal,
    saveFreeDraw: async (result) => {
      const { uid = currentPerson(parts).uid } = result;
      const stillHere = (): void => {
        if (!access.ownIds.has(uid)) throw personChangedError();
      };
      stillHere();
      const of = await journalName(result.image.id);
      if (of === null) throw new ReefError('unlinked-survey');
      if (!opened.has(keyOf(of))) await open(result.image);
      return journals.closeWith(of, async (ended) => {
        stillHere();
        const after = await saveFreeDraw(parts, own, result, opened.get(keyOf(of)) ?? fresh(), ended);
        opened.set(keyOf(of), after);
        return after.base.analysisId;
      });
    },
    expertForm: (image) => storedForm(parts, own, image),
    saveExpertForm: (image, analysisId, form) => saveForm(parts, own, image, analysisId, form),
    roles: async () => {
      const uid = person.get()?.uid;
      return uid === undefined ? NO_ROLES : roles.rolesOf(uid);
    },
    mine: liveOwnAnalyses(parts),
    ofSurvey: (surveyId) => liveSurveyAnalyses(parts, surveyId),
    unfinished: liveUnfinished(parts),
    close: () => {
      own.close();
      cache.close();
    },
  };
}

function personChangedError(): ReefError {
  return new ReefError('unlinked-survey', {
    message:
      'The person using this tablet has changed. The earlier work is saved. Enter your name and open the photograph again.',
  });
}

/** Number of hidden marks by class id. */
function countUnknown({ features, zaps }: PreservedTraces): ReadonlyMap<string, number> {
  const unknown = new Map<string, number>();
  for (const tool of [...features.map(({ properties }) => properties as unknown), ...zaps]) {
    const id = isObject(tool) ? textOr(tool['id'], '') : '';
    unknown.set(id, (unknown.get(id) ?? 0) + 1);
  }
  return unknown;
}
