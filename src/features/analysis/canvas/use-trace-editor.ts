import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { StrokeJournal } from '../../../data/repositories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { MarkEdit, MarkLog } from '../../../domain/analysis/mark-log';
import { rasterRule } from '../../../domain/analysis/free-draw/raster-rule';
import type { TracingSession } from '../../../workers/tracing/tracing.api';
import { openTracing } from '../../../workers/tracing/tracing-session';
import { NO_COVER, type Cover } from './cover';
import { TraceEditor, type TraceEditorState } from './trace-editor';
import type { JournalQueue, JournalQueueState } from '../work/journal-queue';
import { openJournalQueue } from '../work/open-journal-queue';
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
  readonly journalQueue: JournalQueue<MarkEdit<FreeDrawMark>> | null;
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

const JOURNAL_TEXTS = {
  busy: 'strokes are being stored',
  lost: {
    title: 'The last strokes could not be stored',
    text: 'This tablet could not write them. Everything painted before is safe.',
  },
};

function openEditor(
  traceDocument: TraceDocument,
  { showMessage, onFailed, onJournalState }: Callbacks,
): OpenTraceEditor & { readonly close: () => void } {
  const session = openTracing();
  const opened =
    traceDocument.journal === null
      ? null
      : openJournalQueue({ journal: traceDocument.journal, texts: JOURNAL_TEXTS, onState: onJournalState });
  const journalQueue = opened?.queue ?? null;
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
    editor.close();
    session.close();
    opened?.close();
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
