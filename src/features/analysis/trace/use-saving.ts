import { useCallback, useRef, useState, type RefObject } from 'react';
import type { AnalysisRepository, FreeDrawWork, TraceImage } from '../../../data/repositories';
import { CATEGORY_CLASSES } from '../../../domain/analysis/free-draw/categories';
import { isComplete, progressOf } from '../../../domain/analysis/free-draw/stats';
import type { AnalysisId } from '../../../domain/ids';
import { holdBusy } from '../../../platform/busy';
import type { ViewerHandle } from '../viewer/viewer.types';
import { savedWork } from './cover';
import type { Easel } from './easel';
import { makePreview, PREVIEW_WIDTH } from './make-preview';
import type { EaselParts, Sheet } from './use-easel';

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'saveFreeDraw'>;
  readonly image: TraceImage;
  readonly work: FreeDrawWork;
  readonly version: 1 | 3;
  readonly size: Sheet['size'];
  readonly parts: EaselParts | null;
  readonly viewer: RefObject<ViewerHandle | null>;
  /** Whoever paints; null: nobody, who can save nothing. */
  readonly uid: string | null;
  readonly onSaved: () => void;
}

type Held = Pick<Props, 'analyses' | 'image' | 'version' | 'viewer' | 'uid'> & {
  readonly size: NonNullable<Props['size']>;
  readonly parts: EaselParts;
};

export interface Saving {
  readonly isSaving: boolean;
  /** What the tablet said when it could not be saved; null: nothing failed since. */
  readonly failed: unknown;
  readonly save: () => void;
}

/** Saves what is on the easel: once, with the figures of just these marks. */
export function useSaving(props: Props): Saving {
  const [isSaving, setSaving] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const isAtWork = useRef(false);
  const saved = useRef<AnalysisId | null>(props.work.analysisId);
  const save = useCallback(() => {
    if (isAtWork.current) return;
    isAtWork.current = true;
    setSaving(true);
    setFailed(null);
    const letGo = holdBusy('an analysis is being saved');
    saveNow(props, saved.current)
      .then(
        (id) => {
          if (id === null) return;
          // Saved again it is the same analysis, changed.
          saved.current = id;
          props.onSaved();
        },
        (error: unknown) => setFailed(error ?? new Error('It could not be saved.')),
      )
      .finally(() => {
        isAtWork.current = false;
        setSaving(false);
        letGo();
      });
  }, [props]);
  return { isSaving, failed, save };
}

/** @returns null where it is not complete after all */
async function saveNow(
  { analyses, image, version, size, parts, viewer, uid }: Props,
  analysisId: AnalysisId | null,
): Promise<AnalysisId | null> {
  if (parts === null || size === null) return null;
  const { easel } = parts;
  try {
    return await saveHeld(await easel.hold(), { analyses, image, version, viewer, uid, size, parts }, analysisId);
  } finally {
    easel.release();
  }
}

async function saveHeld(
  { marks: all, counts }: Awaited<ReturnType<Easel['hold']>>,
  { analyses, image, version, viewer, uid, size, parts: { session, keep } }: Held,
  analysisId: AnalysisId | null,
): Promise<AnalysisId | null> {
  if (!isComplete(progressOf(counts, CATEGORY_CLASSES))) return null;
  const { marks, stats } = savedWork(all, counts);
  const preview = await previewOf(viewer, session.canvas);
  await keep?.settle().catch((error: unknown) => {
    // The record holds every mark by itself; where it cannot be kept either, the person is told so.
    console.warn('Strokes wait to be kept while the analysis is saved:', error);
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
  keep?.forget();
  return id;
}

async function previewOf(viewer: RefObject<ViewerHandle | null>, canvas: HTMLCanvasElement): Promise<Blob | null> {
  try {
    return await makePreview((await viewer.current?.pixels(PREVIEW_WIDTH)) ?? null, canvas);
  } catch (error) {
    console.warn('No small picture of the analysis could be made; it is saved without:', error);
    return null;
  }
}
