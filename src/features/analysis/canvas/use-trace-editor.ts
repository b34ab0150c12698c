import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { StrokeJournal } from '../../../data/repositories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { MarkLog } from '../../../domain/analysis/mark-log';
import { rasterRule } from '../../../domain/analysis/free-draw/raster-rule';
import { holdBusy } from '../../../platform/busy';
import { notify } from '../../../ui/feedback/notices';
import type { TracingSession } from '../../../workers/tracing/tracing.api';
import { openTracing } from '../../../workers/tracing/tracing-session';
import { NO_COVER, type Cover } from './cover';
import { TraceEditor, type TraceEditorState } from './trace-editor';
import { JournalQueue, type JournalQueueState } from './journal-queue';
import { classStyles } from './class-styles';

export interface TraceDocument extends MarkLog<FreeDrawMark> {
  readonly key: string;
  readonly version: 1 | 3;
  /** null: a practice picture, nothing is stored. */
  readonly journal: StrokeJournal | null;
  /** Full size of the picture, px; null before it is known. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

export interface OpenTraceEditor {
  readonly editor: TraceEditor;
  readonly session: TracingSession;
  readonly journalQueue: JournalQueue | null;
}

/** Opacity of the colours over the photograph (design: "Over a picture: fill 0.58 to 0.6"). */
const OPACITY = 0.58;
const QUEUE_IDLE: JournalQueueState = { pending: 0, failed: null };
const INITIAL_STATE: TraceEditorState = {
  isReady: false,
  isLocked: false,
  marks: 0,
  canUndo: false,
  canRedo: false,
  draft: null,
};

interface Callbacks {
  readonly showMessage: (words: string) => void;
  readonly onFailed: (error: unknown) => void;
  readonly onJournalState: (state: JournalQueueState) => void;
}

/** Opens an editor for a document, begins it once the size is known, and closes it with the document. */
export function useTraceEditor(traceDocument: TraceDocument | null, callbacks: Callbacks): OpenTraceEditor | null {
  const [opened, setOpened] = useState<(OpenTraceEditor & { readonly key: string }) | null>(null);
  const key = traceDocument?.key ?? null;
  const latest = useRef({ sheet: traceDocument, callbacks });
  useLayoutEffect(() => {
    latest.current = { sheet: traceDocument, callbacks };
  });
  useEffect(() => {
    // Initial values are read once; another key means another document.
    const { sheet: currentDocument, callbacks: currentCallbacks } = latest.current;
    if (currentDocument === null || currentDocument.key !== key) return undefined;
    const made = openEditor(currentDocument, currentCallbacks);
    setOpened({ ...made, key: currentDocument.key });
    return () => {
      made.close();
      setOpened(null);
    };
  }, [key]);
  const width = traceDocument?.size?.width ?? 0;
  const height = traceDocument?.size?.height ?? 0;
  const version = traceDocument?.version ?? 3;
  const { onFailed } = callbacks;
  const editor = opened?.key === key ? opened?.editor : undefined;
  useEffect(() => {
    if (editor === undefined || width === 0) return;
    beginEditor(editor, version, width, height).catch(onFailed);
  }, [editor, version, width, height, onFailed]);
  return opened?.key === key ? opened : null;
}

async function beginEditor(editor: TraceEditor, version: 1 | 3, width: number, height: number): Promise<void> {
  await editor.begin(rasterRule(version, width, height), classStyles(), OPACITY);
}

function openEditor(
  traceDocument: TraceDocument,
  { showMessage, onFailed, onJournalState }: Callbacks,
): OpenTraceEditor & { readonly close: () => void } {
  const session = openTracing();
  let releaseBusy: (() => void) | null = null;
  let isOver = false;
  const journalQueue =
    traceDocument.journal === null
      ? null
      : new JournalQueue({
          journal: traceDocument.journal,
          schedule: (run, ms) => {
            const timer = setTimeout(run, ms);
            return () => clearTimeout(timer);
          },
          onChange: (state) => {
            // A new version of the app must not take over before a stroke is stored.
            if (state.pending > 0) releaseBusy ??= holdBusy('strokes are being stored');
            else {
              releaseBusy?.();
              releaseBusy = null;
            }
            if (!isOver) onJournalState(state);
          },
        });
  onJournalState(QUEUE_IDLE);
  const editor = new TraceEditor({
    session,
    journalQueue,
    marks: traceDocument.marks,
    undone: traceDocument.undone,
    now: () => Date.now(),
    showMessage,
    onFailed,
  });
  const close = (): void => {
    isOver = true;
    editor.close();
    session.close();
    // Pending strokes are stored to the end, even if the user leaves the page.
    journalQueue
      ?.flush()
      .catch((error: unknown) => {
        console.error('Strokes could not be stored before the picture was closed:', error);
        notify({
          icon: 'alert',
          title: 'The last strokes could not be stored',
          text: 'This tablet could not write them. Everything painted before is safe.',
        });
      })
      .finally(() => {
        journalQueue.close();
        releaseBusy?.();
      });
  };
  return { editor, session, journalQueue, close };
}

const subscribeNever = (): (() => void) => () => undefined;

export function useTraceEditorState(opened: OpenTraceEditor | null): TraceEditorState {
  return useSyncExternalStore(opened?.editor.subscribe ?? subscribeNever, () => opened?.editor.state ?? INITIAL_STATE);
}

export function useCover(opened: OpenTraceEditor | null): Cover {
  return useSyncExternalStore(opened?.editor.subscribeCover ?? subscribeNever, () => opened?.editor.cover ?? NO_COVER);
}

/** Replaced after a loss. */
export function useCanvas(opened: OpenTraceEditor | null): HTMLCanvasElement | null {
  return useSyncExternalStore(opened?.session.subscribe ?? subscribeNever, () => opened?.session.canvas ?? null);
}

export function useTracingWarning(opened: OpenTraceEditor | null): string | null {
  return useSyncExternalStore(opened?.session.subscribe ?? subscribeNever, () => opened?.session.warning ?? null);
}
