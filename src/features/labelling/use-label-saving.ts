import { useCallback, useRef, useState, type RefObject } from 'react';
import type { AnalysisRepository, LabellingWork, TraceImage } from '../../data/repositories';
import type { LabelEdit, LabelSession } from '../../domain/analysis/labelling/label-marks';
import type { LabelVersion } from '../../domain/analysis/labelling/label-versions';
import type { AnalysisId } from '../../domain/ids';
import { holdBusy } from '../../platform/busy';
import type { JournalQueue } from '../analysis';
import type { ViewerHandle } from '../picture-viewer';
import type { SavedLabelling } from './dialogs/CompletionDialog';
import { labelCover } from './label-cover';
import { labelPreview } from './label-preview';
import type { LabelledWork } from './labelling-state';

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'saveLabelling'>;
  readonly image: TraceImage;
  readonly work: LabellingWork;
  readonly version: LabelVersion;
  readonly queue: JournalQueue<LabelEdit> | null;
  readonly latest: () => LabelledWork;
  readonly viewer: RefObject<ViewerHandle | null>;
  readonly uid: string | null;
  readonly event: string | undefined;
  readonly onSaved: (saved: SavedLabelling) => void;
}

interface LabelSaving {
  readonly isSaving: boolean;
  /** null if the last save did not fail. */
  readonly failed: unknown;
  readonly save: () => void;
}

/** Saves the labels of one moment, one save at a time; a failed one leaves the journal as it is. */
export function useLabelSaving(props: Props): LabelSaving {
  const [isSaving, setSaving] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const isRunning = useRef(false);
  const saved = useRef<AnalysisId | null>(props.work.analysisId);
  const [startedAt] = useState(() => Date.now());
  const save = useCallback(() => {
    if (isRunning.current || props.queue === null || !props.latest().labelling.canSubmit) return;
    isRunning.current = true;
    setSaving(true);
    setFailed(null);
    const releaseBusy = holdBusy('an analysis is being saved');
    saveNow(props, saved.current, startedAt)
      .then(
        (result) => {
          const isFirst = saved.current === null;
          // A later save changes the same analysis.
          saved.current = result.id;
          props.onSaved({ ...result, isFirst });
        },
        (error: unknown) => {
          console.error('The analysis could not be saved:', error);
          setFailed(error ?? new Error('The analysis could not be saved.'));
        },
      )
      .finally(() => {
        isRunning.current = false;
        setSaving(false);
        releaseBusy();
      });
  }, [props, startedAt]);
  return { isSaving, failed, save };
}

async function saveNow(
  { analyses, image, work, version, queue, latest, viewer, uid, event }: Props,
  analysisId: AnalysisId | null,
  startedAt: number,
): Promise<Omit<SavedLabelling, 'isFirst'>> {
  const { labelling, logs } = latest();
  const cover = await labelCover(labelling, work.outlines);
  const preview = await labelPreview(viewer.current, labelling);
  await queue?.flush().catch((error: unknown) => {
    // The record holds every label too; if it cannot be stored either, the user is notified.
    console.warn('Labels are waiting to be stored while the analysis is saved:', error);
  });
  const id = await analyses.saveLabelling({
    ...(uid === null ? {} : { uid }),
    image,
    analysisId,
    version: version.version,
    outlines: work.outlines,
    logs,
    sessions: [...work.sessions, sessionSince(startedAt)],
    cover,
    eventTags: event === undefined ? [] : [event],
    preview,
  });
  queue?.discardPending();
  return { id, preview };
}

function sessionSince(startedAt: number): LabelSession {
  const end = Date.now();
  return {
    startTime: new Date(startedAt).toISOString(),
    endTime: new Date(end).toISOString(),
    timeTaken: Math.max(0, Math.round((end - startedAt) / 1000)),
  };
}
