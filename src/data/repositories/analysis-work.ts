import type { KeptTraces } from '../../domain/analysis/free-draw/record';
import { NOTHING_KEPT, readFreeDraw, versionIn } from '../../domain/analysis/free-draw/record';
import { statsIn } from '../../domain/analysis/free-draw/expert-form';
import { ReefError } from '../../domain/errors';
import type { AnalysisId, ImageId, SurveyId } from '../../domain/ids';
import { makeId } from '../../domain/ids';
import { isObject } from '../../domain/json';
import type { ReadDoc } from '../db/read-model';
import { CensusMemory } from '../memory/census-memory';
import { anotherTab } from '../ops/append';
import { storedMark } from '../ops/journal-mark';
import { readDocOf } from '../ops/read-doc';
import { countingOps } from '../ops/standing';
import type { JournalBegin, JournalEntry, JournalName } from '../ops/stroke-journal';
import { journalPrefix, StrokeJournals } from '../ops/stroke-journal';
import { anyImage } from './analysis-images';
import { ownAnalysesLive, unfinishedLive } from './analysis-lists';
import { correctedOf, pictureOf } from './analysis-pictures';
import type { Opened } from './analysis-records';
import {
  baseOf,
  keptOfBase,
  marksOfBase,
  sizeOfBase,
  neverWrittenOver,
  saveForm,
  saveFreeDraw,
  storedForm,
  storedOf,
  withBoth,
} from './analysis-records';
import type {
  AnalysisRepository,
  FreeDrawWork,
  StoredAnalysis,
  StrokeJournal,
  TraceImage,
} from './analysis-repository';
import { nextImage, preload } from './analysis-source';
import { OwnAnalyses } from './own-analyses';
import type { Parts } from './parts';
import { personHere, textOr } from './parts';
import { FreshRoles, NO_ROLES } from './person-roles';
import { surveyAnalysesLive } from './survey-analyses';

export type AnalysisWork = AnalysisRepository & { readonly close: () => void };

const NOTHING: FreeDrawWork = {
  analysisId: null,
  marks: [],
  undone: [],
  from: 'nothing',
  readOnly: null,
  unknown: new Map(),
  size: null,
  damaged: 0,
};

/** The repository itself; `analysis-repository.ts` loads it. */
export function openAnalysisWork(parts: Parts, name: string): AnalysisWork {
  const { store, person, sight } = parts;
  const memory = new CensusMemory(store.host, name);
  const own = new OwnAnalyses(parts);
  const journals = new StrokeJournals(store);
  const roles = new FreshRoles(parts);
  /** By journal: what this tab shows of it. */
  const opened = new Map<string, Opened>();
  const keyOf = ({ uid, imageId }: JournalName): string => `${uid}/${imageId}`;

  /** Whose journal of the photograph there is: somebody is known under several ids once they signed in ashore. */
  const journalName = async (imageId: ImageId): Promise<JournalName | null> => {
    const uid = person.get()?.uid;
    if (uid === undefined) return null;
    for (const id of new Set([uid, ...sight.own])) {
      const there = await store.run(() =>
        store.db.journals.where('id').startsWith(`${id}/${imageId}/`).limit(1).count(),
      );
      if (there > 0) return { uid: id, imageId };
    }
    return { uid, imageId };
  };
  const begin = (journal: JournalName, { survey }: TraceImage): JournalBegin => ({
    do: 'begin',
    survey: { id: survey.id, name: survey.name },
    ...shownOf(journal),
  });
  const shownOf = (journal: JournalName): Pick<Opened, 'base' | 'analysisId'> => {
    const { base, analysisId } = opened.get(keyOf(journal)) ?? fresh();
    return { base, analysisId };
  };
  const fresh = (): Opened => ({
    base: null,
    analysisId: makeId<AnalysisId>(store.host.randomBytes),
    kept: NOTHING_KEPT,
    readOnly: null,
  });

  const open = async (image: TraceImage): Promise<FreeDrawWork> => {
    const journal = await journalName(image.id);
    if (journal === null) return NOTHING;
    const stored = (await storedOf(parts, own, image))[0];
    const base = stored === undefined ? null : baseOf(stored);
    const read = await journals.read(journal, (first) => marksOfBase(first === null ? base : first.base));
    if (read.at !== null) {
      // What it began with, unless that piece is lost: then what is stored now.
      const from = read.begin === null ? base : read.begin.base;
      const kept = withBoth(keptOfBase(from), read.kept);
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
        unknown: counted(kept),
        size: sizeOfBase(from),
        damaged: read.damaged,
      };
    }
    if (stored === undefined) {
      opened.set(keyOf(journal), fresh());
      return NOTHING;
    }
    const readOnly = stored.read.is === 'free-draw' ? null : stored.read.is;
    const kept = keptOfBase(base);
    opened.set(keyOf(journal), { base, analysisId: stored.id, kept, readOnly });
    const marks = marksOfBase(base);
    return {
      analysisId: stored.id,
      marks,
      undone: [],
      from: stored.read.is === 'free-draw' && stored.read.isForm ? 'nothing' : 'stored',
      readOnly,
      unknown: counted(kept),
      size: sizeOfBase(base),
      damaged: 0,
    };
  };

  /** A photograph that was opened as a new one has no analysis by now: what another tab saved is gone on with, not made a second time. */
  const stillNew = async (of: JournalName, { analysisId }: Opened): Promise<void> => {
    if ((await store.run(() => store.db.journals.where('id').startsWith(journalPrefix(of)).limit(1).count())) > 0)
      return;
    await parts.ledger.follow();
    if ((await storedOf(parts, own, { id: of.imageId })).some(({ id }) => id !== analysisId)) throw anotherTab();
  };

  const journal = (image: TraceImage): StrokeJournal => {
    const uid = person.get()?.uid ?? null;
    // One look for all strokes: they keep their order.
    let named: Promise<JournalName> | undefined;
    const name = async (): Promise<JournalName> => {
      const of = await journalName(image.id);
      if (of === null) throw nobodyHere();
      const shown = opened.get(keyOf(of));
      if (shown === undefined) await open(image);
      else if (shown.base === null) await stillNew(of, shown);
      return of;
    };
    const write = async (make: () => JournalEntry): Promise<void> => {
      if (uid === null || !sight.own.has(uid)) throw nobodyHere();
      const entry = make();
      named ??= name().catch((error: unknown) => {
        named = undefined;
        throw error;
      });
      const of = await named;
      if ((opened.get(keyOf(of))?.readOnly ?? null) !== null) throw neverWrittenOver();
      await journals.add(of, entry, () => begin(of, image));
    };
    return {
      add: (mark) => write(() => ({ do: 'add', mark: storedMark(mark) })),
      undo: () => write(() => ({ do: 'undo' })),
      redo: () => write(() => ({ do: 'redo' })),
      clear: () => write(() => ({ do: 'clear' })),
    };
  };

  return {
    image: (surveyId, imageId) => anyImage(parts, memory, surveyId, imageId),
    picture: (image, size) => pictureOf(parts, memory, image, size),
    corrected: (image, size) => correctedOf(parts, memory, image, size),
    next: (wanted) => nextImage(parts, memory, own, wanted),
    preload: (image) => preload(parts, memory, image),
    freeDraw: open,
    journal,
    saveFreeDraw: async (result) => {
      const { uid = personHere(parts).uid } = result;
      const stillHere = (): void => {
        if (!sight.own.has(uid)) throw nobodyHere();
      };
      stillHere();
      const of = await journalName(result.image.id);
      if (of === null) throw new ReefError('unlinked-survey');
      if (!opened.has(keyOf(of))) await open(result.image);
      return journals.ending(of, async (ended) => {
        stillHere();
        const after = await saveFreeDraw(parts, own, result, opened.get(keyOf(of)) ?? fresh(), ended);
        opened.set(keyOf(of), after);
        return after.base.analysisId;
      });
    },
    expertForm: (image) => storedForm(parts, own, image),
    saveExpertForm: (image, analysisId, form) => saveForm(parts, own, image, analysisId, form),
    stored: async (id) => {
      const document = readDocOf('analysis', id, await countingOps(store, [['analysis', id]]));
      if (document === undefined || document.isDeleted || !sight.seesDocument('analysis', id))
        throw new ReefError('not-found');
      return storedView(document);
    },
    roles: async () => {
      const uid = person.get()?.uid;
      return uid === undefined ? NO_ROLES : roles.of(uid);
    },
    mine: ownAnalysesLive(parts),
    ofSurvey: (surveyId) => surveyAnalysesLive(parts, surveyId),
    unfinished: unfinishedLive(parts),
    close: () => {
      own.close();
      memory.close();
    },
  };
}

function nobodyHere(): ReefError {
  return new ReefError('unlinked-survey', {
    message:
      'Nobody, or somebody else, is at this tablet now. What was drawn before is kept; say who you are and open the photograph again.',
  });
}

/** How many marks are not shown, by the id of their class. */
function counted({ features, zaps }: KeptTraces): ReadonlyMap<string, number> {
  const unknown = new Map<string, number>();
  for (const tool of [...features.map(({ properties }) => properties as unknown), ...zaps]) {
    const id = isObject(tool) ? textOr(tool['id'], '') : '';
    unknown.set(id, (unknown.get(id) ?? 0) + 1);
  }
  return unknown;
}

function storedView({ doc, updatedAt }: ReadDoc): StoredAnalysis {
  const read = readFreeDraw(doc);
  const member = (name: string): { readonly [member: string]: unknown } => (isObject(doc[name]) ? doc[name] : {});
  const [survey, image] = [member('survey'), member('image')];
  const version = versionIn(doc);
  return {
    version: Number.isFinite(version) ? version : null,
    marks: read.is === 'free-draw' ? read.marks : null,
    size: read.is === 'free-draw' ? read.size : null,
    stats: statsIn(doc),
    imageId: textOr(image['id'], '') as ImageId,
    survey: {
      id: textOr(survey['id'], '') as SurveyId,
      name: textOr(survey['name'], ''),
      regionId: textOr(survey['regionId'], null),
    },
    updatedAt,
  };
}
