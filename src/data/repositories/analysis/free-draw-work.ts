import type { PreservedTraces } from '../../../domain/analysis/free-draw/record';
import { NO_PRESERVED_TRACES } from '../../../domain/analysis/free-draw/record';
import type { AnalysisId } from '../../../domain/ids';
import { makeId } from '../../../domain/ids';
import { isObject } from '../../../domain/json';
import { FREE_DRAW_JOURNAL, replayFreeDraw } from '../../ops/journals/free-draw-journal';
import type { RepositoryContext } from '../repository-context';
import { textOr } from '../repository-context';
import type { OpenedAnalysis } from './analysis-records';
import {
  baseOf,
  keptOfBase,
  marksOfBase,
  mergeKept,
  saveFreeDraw,
  sizeOfBase,
  storedRecords,
} from './analysis-records';
import { JournalledWork } from './journalled-work';
import type { OwnAnalyses } from './own-analyses';
import type { AnalysisRepository, FreeDrawWork, TraceImage } from './types';

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

/** Free-draw part of the repository. */
export function freeDrawWork(
  parts: RepositoryContext,
  own: OwnAnalyses,
): Pick<AnalysisRepository, 'freeDraw' | 'journal' | 'saveFreeDraw'> {
  const freshId = (): AnalysisId => makeId<AnalysisId>(parts.store.host.randomBytes);
  const open = async (image: TraceImage): Promise<FreeDrawWork> => {
    const name = await work.nameOf(image.id);
    if (name === null) return NO_WORK;
    const stored = (await storedRecords(parts, own, image))[0];
    const base = stored === undefined ? null : baseOf(stored);
    const read = await work.read(name);
    if (read.at !== null) {
      const from = read.begin === null ? base : read.begin.base;
      const { marks, undone, unknownTraces } = replayFreeDraw(read, marksOfBase(from));
      const kept = mergeKept(keptOfBase(from), unknownTraces);
      const analysisId = read.begin?.analysisId ?? from?.analysisId ?? freshId();
      work.set(name, { base: from, analysisId, kept, readOnly: null });
      return {
        analysisId: from?.analysisId ?? null,
        marks,
        undone,
        from: 'unfinished',
        readOnly: null,
        unknown: countUnknown(kept),
        size: sizeOfBase(from),
        damaged: read.damaged,
      };
    }
    if (stored === undefined) {
      work.set(name, { base: null, analysisId: freshId(), kept: NO_PRESERVED_TRACES, readOnly: null });
      return NO_WORK;
    }
    const readOnly = stored.read.kind === 'free-draw' ? null : stored.read.kind;
    const kept = keptOfBase(base);
    work.set(name, { base, analysisId: stored.id, kept, readOnly });
    return {
      analysisId: stored.id,
      marks: marksOfBase(base),
      undone: [],
      from: stored.read.kind === 'free-draw' && stored.read.isForm ? 'nothing' : 'stored',
      readOnly,
      unknown: countUnknown(kept),
      size: sizeOfBase(base),
      damaged: 0,
    };
  };
  const work = new JournalledWork(parts, {
    codec: FREE_DRAW_JOURNAL,
    open,
    begin: (_state: OpenedAnalysis) => ({}),
    storedIds: async (id) => (await storedRecords(parts, own, { id })).map((record) => record.id),
  });
  return {
    freeDraw: open,
    journal: (image, version) => ({ apply: work.journal(image, version === undefined ? {} : { version }) }),
    saveFreeDraw: async (result) => {
      const after = await work.save(result.image, result.uid, (state, journal) =>
        saveFreeDraw(parts, own, result, state, journal),
      );
      return after.base.analysisId;
    },
  };
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
