import { useEffect, useMemo, useRef } from 'react';
import { MORE_TOOLS } from '../tools/more-tools';
import type { Tool } from '../tools/tool';
import type { PenInput } from '../viewer/viewer.types';
import type { Easel } from './easel';
import { createPen } from './pen-tool';
import type { ToolSurface } from './seams';
import type { ToolId } from './trace-state';

interface Props {
  readonly easel: Easel | null;
  readonly tool: ToolId;
  readonly surface: ToolSurface;
  /** Why nothing can be painted now, in words; null: it can. */
  readonly refuses: () => string | null;
  readonly say: (words: string) => void;
}

/** The tool in the hand, and what a pointer on the picture does with it. */
export interface ToolInHand {
  readonly pen: PenInput;
  readonly confirm: () => void;
  readonly leave: () => void;
  /** False where nothing is being made. */
  readonly stepBack: () => boolean;
}

const LOAD_FAILED = 'This tool could not be loaded. The pen works; try the tool again with a link.';

/** Takes up a tool when it is chosen, and puts it down with what it was making when another one is. */
export function useTool({ easel, tool, surface, refuses, say }: Props): ToolInHand {
  const current = useRef<Tool | null>(null);
  const latest = useRef({ refuses, say });
  useEffect(() => {
    latest.current = { refuses, say };
  });
  useEffect(() => {
    if (easel === null || tool === 'move') return undefined;
    let isOver = false;
    const take = (made: Tool): void => {
      current.current = made;
    };
    const offered = MORE_TOOLS.find(({ id }) => id === tool);
    if (offered === undefined) take(createPen(easel.host));
    else {
      offered.load().then(
        (make) => {
          if (!isOver) take(make(easel.host, surface));
        },
        (error: unknown) => {
          console.error('A tool could not be loaded:', error);
          if (!isOver) latest.current.say(LOAD_FAILED);
        },
      );
    }
    return () => {
      isOver = true;
      current.current?.leave();
      current.current = null;
    };
  }, [easel, tool, surface]);
  return useMemo(
    () => ({
      pen: {
        down: (x, y) => {
          const why = latest.current.refuses();
          if (why === null) current.current?.down(x, y);
          else latest.current.say(why);
        },
        move: (points) => current.current?.move(points),
        up: () => current.current?.up(),
        cancel: () => current.current?.cancel(),
      },
      confirm: () => current.current?.confirm(),
      leave: () => current.current?.leave(),
      stepBack: () => current.current?.stepBack() ?? false,
    }),
    [],
  );
}
