import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { StrokeJournal } from '../../../data/repositories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import { rasterRule } from '../../../domain/analysis/free-draw/raster-rule';
import { holdBusy } from '../../../platform/busy';
import { notify } from '../../../ui/notices';
import type { TracingSession } from '../../../workers/tracing.api';
import { openTracing } from '../../../workers/tracing-session';
import { NO_COVER, type Cover } from './cover';
import { Easel, type EaselFacts } from './easel';
import { KeepQueue, type KeepState } from './keep-queue';
import { classLooks } from './looks';

/** A picture with what is painted on it from the start. */
export interface Sheet {
  /** Another key is another sheet. */
  readonly key: string;
  readonly version: 1 | 3;
  readonly marks: readonly FreeDrawMark[];
  readonly undone: readonly FreeDrawMark[];
  /** null: nothing is kept, it is a picture to learn on. */
  readonly journal: StrokeJournal | null;
  /** px of the picture at full size; null before it is known. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

/** What stands behind a sheet while it is on the screen. */
export interface EaselParts {
  readonly easel: Easel;
  readonly session: TracingSession;
  readonly keep: KeepQueue | null;
}

/** Of the colours over the photograph (design: "Over a picture: fill 0.58 to 0.6"). */
const OPACITY = 0.58;
const NOTHING_WAITS: KeepState = { waiting: 0, failed: null };
const NO_FACTS: EaselFacts = { isReady: false, isHeld: false, marks: 0, canUndo: false, canRedo: false, draft: null };

interface Callbacks {
  readonly say: (words: string) => void;
  readonly onFailed: (error: unknown) => void;
  readonly onKeep: (state: KeepState) => void;
}

/** The easel of a sheet: made when the sheet comes, begun when its size is known, ended with it. */
export function useEasel(sheet: Sheet | null, callbacks: Callbacks): EaselParts | null {
  const [parts, setParts] = useState<(EaselParts & { readonly key: string }) | null>(null);
  const key = sheet?.key ?? null;
  const latest = useRef({ sheet, callbacks });
  useLayoutEffect(() => {
    latest.current = { sheet, callbacks };
  });
  useEffect(() => {
    // A sheet is what it was when it came; its key says when another one comes.
    const { sheet: come, callbacks: told } = latest.current;
    if (come === null || come.key !== key) return undefined;
    const made = open(come, told);
    setParts({ ...made, key: come.key });
    return () => {
      made.close();
      setParts(null);
    };
  }, [key]);
  const width = sheet?.size?.width ?? 0;
  const height = sheet?.size?.height ?? 0;
  const version = sheet?.version ?? 3;
  const { onFailed } = callbacks;
  const easel = parts?.key === key ? parts?.easel : undefined;
  useEffect(() => {
    if (easel === undefined || width === 0) return;
    begin(easel, version, width, height).catch(onFailed);
  }, [easel, version, width, height, onFailed]);
  return parts?.key === key ? parts : null;
}

async function begin(easel: Easel, version: 1 | 3, width: number, height: number): Promise<void> {
  await easel.begin(rasterRule(version, width, height), classLooks(), OPACITY);
}

function open(sheet: Sheet, { say, onFailed, onKeep }: Callbacks): EaselParts & { readonly close: () => void } {
  const session = openTracing();
  let letGo: (() => void) | null = null;
  let isOver = false;
  const keep =
    sheet.journal === null
      ? null
      : new KeepQueue({
          journal: sheet.journal,
          later: (run, ms) => {
            const timer = setTimeout(run, ms);
            return () => clearTimeout(timer);
          },
          onChange: (state) => {
            // A new version of the app does not take over between a stroke and its being kept.
            if (state.waiting > 0) letGo ??= holdBusy('strokes are being kept');
            else {
              letGo?.();
              letGo = null;
            }
            if (!isOver) onKeep(state);
          },
        });
  onKeep(NOTHING_WAITS);
  const easel = new Easel({
    session,
    keep,
    marks: sheet.marks,
    undone: sheet.undone,
    now: () => Date.now(),
    say,
    onFailed,
  });
  const close = (): void => {
    isOver = true;
    easel.close();
    session.close();
    // What waits is kept to its end, also when the page is left meanwhile.
    keep
      ?.settle()
      .catch((error: unknown) => {
        console.error('Strokes could not be kept before the picture was left:', error);
        notify({
          icon: 'alert',
          title: 'The last strokes could not be kept',
          words: 'This tablet could not write them. What was painted before is safe.',
        });
      })
      .finally(() => {
        keep.close();
        letGo?.();
      });
  };
  return { easel, session, keep, close };
}

const never = (): (() => void) => () => undefined;

export function useEaselFacts(parts: EaselParts | null): EaselFacts {
  return useSyncExternalStore(parts?.easel.subscribe ?? never, () => parts?.easel.facts ?? NO_FACTS);
}

export function useCover(parts: EaselParts | null): Cover {
  return useSyncExternalStore(parts?.easel.subscribeCover ?? never, () => parts?.easel.cover ?? NO_COVER);
}

/** The canvas that the session paints on; another one after a loss. */
export function useCanvas(parts: EaselParts | null): HTMLCanvasElement | null {
  return useSyncExternalStore(parts?.session.subscribe ?? never, () => parts?.session.canvas ?? null);
}

/** What a person should know of how painting runs. */
export function useTroubles(parts: EaselParts | null): string | null {
  return useSyncExternalStore(parts?.session.subscribe ?? never, () => parts?.session.troubles ?? null);
}
