import { useCallback, useEffect, useMemo, type RefObject } from 'react';
import type { ViewerHandle } from '../../picture-viewer';
import type { PracticePicture } from '../learning/learning-host';
import { AREA_TOOLS } from '../tools/area-tools';
import type { ToolId, ToolSurface } from '../tools/tool';
import { useActiveTool } from './toolbar/use-active-tool';
import { useShiftToggle } from './toolbar/use-shift-toggle';
import type { FillConfirmation, TraceAction, TraceState } from './trace-state';
import { useCrossHair } from '../stage/use-cross-hair';
import type { Editors } from './use-editors';

interface Options {
  readonly editors: Editors;
  readonly state: TraceState;
  readonly dispatch: (action: TraceAction) => void;
  readonly version: 1 | 3;
  readonly uid: string | null;
  readonly practice: PracticePicture | null;
  readonly viewer: RefObject<ViewerHandle | null>;
  readonly place: RefObject<HTMLDivElement | null>;
  readonly showMessage: (text: string) => void;
  /** Removes a message whose cause is gone. */
  readonly clearMessage: () => void;
}

/** Connects tools, cross-hair and commands with the open editor. */
export function usePainting(options: Options) {
  const { editors, state, dispatch, version, uid, practice, viewer, place, showMessage, clearMessage } = options;
  const { openEditor, isPractice, isReadOnly, size } = editors;
  const surface = useMemo(
    (): ToolSurface => ({
      pixels: (width) => viewer.current?.pixels(width) ?? Promise.resolve(null),
      size: () => practice ?? size,
      reach: (px) => viewerReach(viewer.current, px),
    }),
    [viewer, practice, size],
  );
  const editor = openEditor?.editor ?? null;
  const refusalReason = useCallback((): string | null => {
    if (uid === null && !isPractice) return 'Sign in or enter your name before you paint.';
    if (isReadOnly) return 'This analysis is view only.';
    if (editor?.state.isReady !== true) return 'The picture is still opening.';
    if (editor.state.isLocked) return 'The analysis is being saved. Continue in a moment.';
    if (editor.cover.flag !== null)
      return `The picture is flagged: ${editor.cover.flag.type.label}. Undo the flag to paint.`;
    return null;
  }, [uid, isPractice, isReadOnly, editor]);
  const effectiveTool = toolBehindShift(state);
  const activeTool = useActiveTool({ editor, tool: effectiveTool, surface, refusalReason, showMessage, clearMessage });
  useEffect(() => {
    editor?.paintWith(
      isReadOnly || effectiveTool === 'move' ? null : effectiveTool === 'erase' ? 'erase' : state.paints,
    );
  }, [editor, isReadOnly, effectiveTool, state.paints]);
  const tools = version === 1 ? NO_TOOLS : AREA_TOOLS;
  const cross = useCrossHair({
    isOn: state.byKeys,
    viewer,
    place,
    pen: activeTool.pen,
    kind: tools.find(({ id }) => id === state.tool)?.press ?? 'hold',
    tool: state.tool,
  });
  useShiftToggle(dispatch, () => !state.byKeys && !cross.isDown);
  return {
    tools,
    cross,
    pen: activeTool.pen,
    undo: () => {
      if (activeTool.undoStep()) cross.lift();
      else editor?.apply({ kind: 'undo' });
    },
    redo: () => editor?.apply({ kind: 'redo' }),
    zap: () => {
      const why = refusalReason();
      if (why === null) dispatch({ type: 'zap' });
      else showMessage(why);
    },
    confirmFill: ({ paints }: FillConfirmation): void => {
      dispatch({ type: 'answered' });
      activeTool.discard();
      editor?.fill(paints);
    },
    confirm: () => {
      cross.lift();
      activeTool.confirm();
    },
    discard: () => {
      cross.lift();
      activeTool.discard();
    },
  };
}

const NO_TOOLS: typeof AREA_TOOLS = [];

/** Reach along the screen's axes, measured on the picture, which may be rotated. */
function viewerReach(viewer: ViewerHandle | null, px: number): ReturnType<ToolSurface['reach']> {
  if (viewer === null) return null;
  const [[x0, y0], [x1, y1], [x2, y2]] = [viewer.placeOf(0, 0), viewer.placeOf(px, 0), viewer.placeOf(0, px)];
  const [x, y] = [Math.hypot(x1 - x0, x2 - x0), Math.hypot(y1 - y0, y2 - y0)];
  return x > 0 && y > 0 ? { x, y } : null;
}

/**
 * Tool in effect: while Shift lends the move tool, the previous tool stays active so that its corners are not
 * discarded.
 */
const toolBehindShift = ({ tool, toolBeforeShift }: TraceState): ToolId =>
  tool === 'move' && toolBeforeShift !== null ? toolBeforeShift : tool;
