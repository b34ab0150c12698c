import { useEffect, useMemo, useState } from 'react';
import type { AnalysisRepository, FreeDrawWork, TraceImage } from '../../../data/repositories';
import type { JournalQueueState } from '../work/journal-queue';
import type { WorkTabState } from '../work/use-work-tab';
import { useLetters } from '../canvas/use-letters';
import {
  useCanvas,
  useTraceEditor,
  useTraceEditorState,
  useTracingWarning,
  type TraceDocument,
} from '../canvas/use-trace-editor';
import type { PracticePicture } from '../learning/learning-host';

interface Options {
  readonly analyses: AnalysisRepository;
  readonly image: TraceImage;
  readonly work: FreeDrawWork;
  readonly version: 1 | 3;
  readonly uid: string | null;
  readonly tab: WorkTabState | undefined;
  readonly practice: PracticePicture | null;
  readonly showMessage: (text: string) => void;
}

export type Editors = ReturnType<typeof useEditors>;

/** Opens the editor of the photograph and, while there is one, of the practice picture, which is then in use. */
export function useEditors({ analyses, image, work, version, uid, tab, practice, showMessage }: Options) {
  const [size, setSize] = useState<TraceDocument['size']>(work.size);
  const [journalState, setJournalState] = useState<JournalQueueState>({ pending: 0, failed: null });
  const [failed, setFailed] = useState<unknown>(null);
  const journal = useMemo(() => analyses.journal(image, version), [analyses, image, version]);
  const ownEditor = useTraceEditor(
    useMemo(
      () => ({ key: `image ${image.id}`, version, marks: work.marks, undone: work.undone, journal, size }),
      [image.id, version, work, journal, size],
    ),
    { showMessage, onFailed: setFailed, onJournalState: setJournalState },
  );
  const setQueue = tab?.setQueue;
  const ownQueue = ownEditor?.journalQueue ?? null;
  useEffect(() => setQueue?.(ownQueue), [setQueue, ownQueue]);
  const practiceEditor = useTraceEditor(
    useMemo(
      () =>
        practice === null
          ? null
          : {
              key: `practice ${practice.picture.key}`,
              version,
              marks: practice.marks ?? [],
              undone: [],
              journal: null,
              size: { width: practice.width, height: practice.height },
            },
      [practice, version],
    ),
    { showMessage, onFailed: setFailed, onJournalState: noop },
  );
  const isPractice = practice !== null;
  const openEditor = isPractice ? practiceEditor : ownEditor;
  return {
    ownEditor,
    openEditor,
    isPractice,
    isReadOnly: (work.readOnly !== null || uid === null || tab?.isElsewhere === true) && !isPractice,
    /** px of the photograph; null before it is known. */
    size,
    setSize,
    journalState,
    failed,
    setFailed,
    editorState: useTraceEditorState(openEditor),
    canvas: useCanvas(openEditor),
    warning: useTracingWarning(openEditor),
    letters: useLetters(openEditor),
  };
}

const noop = (): void => undefined;
