import { useCallback, useRef, useState, type RefObject } from 'react';
import type { AnalysisRepository, FreeDrawWork, TraceImage } from '../../../data/repositories';
import { CATEGORY_CLASSES } from '../../../domain/analysis/free-draw/categories';
import { isComplete, progressOf } from '../../../domain/analysis/free-draw/stats';
import type { AnalysisId } from '../../../domain/ids';
import { holdBusy } from '../../../platform/busy';
import type { ViewerHandle } from '../../picture-viewer';
import { savedWork } from '../canvas/cover';
import type { SavedAnalysis } from './dialogs/SavedResult';
import type { TraceEditor } from '../canvas/trace-editor';
import { makePreview, PREVIEW_WIDTH } from '../work/make-preview';
import type { OpenTraceEditor, TraceDocument } from '../canvas/use-trace-editor';

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'saveFreeDraw'>;
  readonly image: TraceImage;
  readonly work: FreeDrawWork;
  readonly version: 1 | 3;
  readonly size: TraceDocument['size'];
  readonly openEditor: OpenTraceEditor | null;
  readonly viewer: RefObject<ViewerHandle | null>;
  readonly uid: string | null;
  readonly onSaved: (saved: SavedAnalysis) => void;
}

type SaveRequest = Pick<Props, 'analyses' | 'image' | 'version' | 'viewer' | 'uid'> & {
  readonly size: NonNullable<Props['size']>;
  readonly openEditor: OpenTraceEditor;
};

type Saved = Pick<SavedAnalysis, 'id' | 'stats'>;

interface Saving {
  readonly isSaving: boolean;
  readonly failed: unknown;
  readonly save: () => void;
}

/** Saves the marks of the editor, one save at a time, with the counts of exactly these marks. */
export function useSaving(props: Props): Saving {
  const [isSaving, setSaving] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const isRunning = useRef(false);
  const saved = useRef<AnalysisId | null>(props.work.analysisId);
  const save = useCallback(() => {
    if (isRunning.current) return;
    isRunning.current = true;
    setSaving(true);
    setFailed(null);
    const releaseBusy = holdBusy('an analysis is being saved');
    saveNow(props, saved.current)
      .then(
        (result) => {
          if (result === null) return;
          const isFirst = saved.current === null;
          // A later save changes the same analysis.
          saved.current = result.id;
          props.onSaved({ ...result, isFirst });
        },
        (error: unknown) => setFailed(error ?? new Error('The analysis could not be saved.')),
      )
      .finally(() => {
        isRunning.current = false;
        setSaving(false);
        releaseBusy();
      });
  }, [props]);
  return { isSaving, failed, save };
}

/** @returns null if the analysis is not complete after all */
async function saveNow(
  { analyses, image, version, size, openEditor, viewer, uid }: Props,
  analysisId: AnalysisId | null,
): Promise<Saved | null> {
  if (openEditor === null || size === null) return null;
  const { editor } = openEditor;
  try {
    return await saveMarks(
      await editor.lock(),
      { analyses, image, version, viewer, uid, size, openEditor },
      analysisId,
    );
  } finally {
    editor.unlock();
  }
}

async function saveMarks(
  { marks: all, counts }: Awaited<ReturnType<TraceEditor['lock']>>,
  { analyses, image, version, viewer, uid, size, openEditor: { session, journalQueue } }: SaveRequest,
  analysisId: AnalysisId | null,
): Promise<Saved | null> {
  if (!isComplete(progressOf(counts, CATEGORY_CLASSES))) return null;
  const { marks, stats } = savedWork(all, counts);
  const preview = await previewOf(viewer, session.canvas);
  await journalQueue?.flush().catch((error: unknown) => {
    // The record holds every mark too; if it cannot be stored either, the user is notified.
    console.warn('Strokes are waiting to be stored while the analysis is saved:', error);
  });
  const id = await analyses.saveFreeDraw({
    ...(uid === null ? {} : { uid }),
    image,
    analysisId,
    version,
    marks,
    width: size.width,
    height: size.height,
    stats,
    preview,
  });
  journalQueue?.discardPending();
  return { id, stats };
}

async function previewOf(viewer: RefObject<ViewerHandle | null>, canvas: HTMLCanvasElement): Promise<Blob | null> {
  try {
    return await makePreview((await viewer.current?.pixels(PREVIEW_WIDTH)) ?? null, canvas);
  } catch (error) {
    console.warn('A preview of the analysis could not be made; saving without it:', error);
    return null;
  }
}
