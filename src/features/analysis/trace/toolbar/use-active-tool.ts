import { useEffect, useMemo, useRef } from 'react';
import { AREA_TOOLS } from '../../tools/area-tools';
import type { Tool } from '../../tools/tool';
import type { PenInput } from '../../../picture-viewer';
import type { TraceEditor } from '../../canvas/trace-editor';
import { createPenTool } from '../../tools/pen-tool';
import type { ToolSurface } from '../../tools/tool';
import type { ToolId } from '../../tools/tool';

interface Props {
  readonly editor: TraceEditor | null;
  readonly tool: ToolId;
  readonly surface: ToolSurface;
  readonly refusalReason: () => string | null;
  readonly showMessage: (words: string) => void;
  readonly clearMessage: () => void;
}

interface ActiveTool {
  readonly pen: PenInput;
  readonly confirm: () => void;
  readonly discard: () => void;
  readonly undoStep: () => boolean;
}

const LOAD_FAILED = 'This tool could not be loaded. The pen works. Try the tool again with a connection.';

/**
 * Loads the selected tool and discards the draft of the previous one. Steps taken while it loads wait for it and are
 * taken in order.
 */
export function useActiveTool({ editor, tool, surface, refusalReason, showMessage, clearMessage }: Props): ActiveTool {
  const current = useRef<Tool | null>(null);
  /** Null unless a tool loads. */
  const waiting = useRef<((tool: Tool) => void)[] | null>(null);
  const latest = useRef({ editor, refuses: refusalReason, say: showMessage, clear: clearMessage });
  useEffect(() => {
    latest.current = { editor, refuses: refusalReason, say: showMessage, clear: clearMessage };
  });
  useEffect(() => {
    if (editor === null || tool === 'move') return undefined;
    let isOver = false;
    const activate = (made: Tool): void => {
      current.current = made;
      const steps = waiting.current ?? [];
      waiting.current = null;
      for (const step of steps) step(made);
    };
    const offered = AREA_TOOLS.find(({ id }) => id === tool);
    if (offered === undefined) activate(createPenTool(editor.host));
    else {
      waiting.current = [];
      offered.load().then(
        (make) => {
          if (!isOver) activate(make(editor.host, surface));
        },
        (error: unknown) => {
          console.error('A tool could not be loaded:', error);
          if (isOver) return;
          waiting.current = null;
          latest.current.say(LOAD_FAILED);
        },
      );
    }
    return () => {
      isOver = true;
      current.current?.discard();
      current.current = null;
      waiting.current = null;
    };
  }, [editor, tool, surface]);
  return useMemo(() => {
    const act = (step: (tool: Tool) => void): void => {
      if (current.current === null) waiting.current?.push(step);
      else step(current.current);
    };
    return {
      pen: {
        down: (x, y) => {
          const why = latest.current.refuses();
          if (why !== null) return latest.current.say(why);
          latest.current.clear();
          act((tool) => tool.down(x, y));
        },
        move: (points) => act((tool) => tool.move(points)),
        up: () => act((tool) => tool.up()),
        cancel: () => act((tool) => tool.cancel()),
      },
      confirm: () => act((tool) => tool.confirm()),
      discard: () => act((tool) => tool.discard()),
      undoStep: () => {
        if (current.current !== null) return current.current.undoStep();
        const steps = waiting.current ?? [];
        if (steps.length === 0) return false;
        // It undoes the last step that waits, not an earlier mark.
        steps.push((tool) => {
          if (!tool.undoStep()) latest.current.editor?.apply({ kind: 'undo' });
        });
        return true;
      },
    };
  }, []);
}
