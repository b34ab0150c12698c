import type { ReactElement } from 'react';
import { StrictMode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { rasterRule } from '../../../../src/domain/analysis/free-draw/raster-rule';
import { PictureViewer } from '../../../../src/features/picture-viewer/PictureViewer';
import type {
  PenInput,
  PictureLight,
  ViewState,
  ViewedPicture,
  ViewerHandle,
} from '../../../../src/features/picture-viewer/viewer.types';
import type { TracingSession } from '../../../../src/workers/tracing/tracing.api';
import { finishStroke } from '../../../../src/workers/tracing/finish-stroke';
import { openTracing } from '../../../../src/workers/tracing/tracing-session';
import { STROKE_COLOURS, handStrokes } from './strokes';
import { timedTracing } from './timing';

type Size = 800 | 2000 | 4000;

/** View and controls of a test outside the page. */
export interface ViewerPage {
  session: TracingSession;
  viewer: ViewerHandle;
  facts: ViewState | null;
  failed: string | null;
  /** Samples received through the viewer, and points of the last stroke. */
  samples: number;
  last: readonly (readonly [number, number])[] | null;
  /** Sizes that were opened. */
  readonly opened: Size[];
  set: (change: {
    readonly hand?: 'move' | 'paint';
    readonly light?: PictureLight;
    readonly file?: string;
    readonly areMarksHidden?: boolean;
  }) => void;
}

declare global {
  interface Window {
    page: ViewerPage;
  }
}

const LOOKS = STROKE_COLOURS.map((fill, index) => ({ label: index + 1, fill, lines: [0, 0, 0] as const }));
const query = new URLSearchParams(location.search);
const slowDown = query.get('timed');
const session = slowDown === null ? openTracing() : timedTracing(Number(slowDown));
const page: ViewerPage = {
  session,
  viewer: undefined as never,
  facts: null,
  failed: null,
  samples: 0,
  last: null,
  opened: [],
  set: () => undefined,
};
window.page = page;

function pictureOf(file: string): ViewedPicture {
  return {
    key: file,
    name: 'A reef',
    openCorrected: null,
    open: async (size) => {
      page.opened.push(size);
      const answer = await fetch(`/files/${file}`);
      return { blob: await answer.blob(), size: 'original' };
    },
  };
}

function App(): ReactElement {
  const [state, setState] = useState({
    file: query.get('file') ?? 'reef.jpg',
    hand: 'paint' as 'move' | 'paint',
    light: { brightness: 1, contrast: 1, isCorrected: false } as PictureLight,
    areMarksHidden: false,
  });
  page.set = (change) => setState((before) => ({ ...before, ...change }));
  const canvas = useSyncExternalStore(session.subscribe, () => session.canvas);
  const begun = useRef('');
  const stroke = useRef<number[]>([]);
  const label = useRef(1);
  const viewer = useRef<ViewerHandle>(null);
  useEffect(() => {
    if (viewer.current !== null) page.viewer = viewer.current;
  }, []);
  const pen: PenInput = {
    down: (x, y) => {
      stroke.current = [x, y];
      page.samples += 1;
      session.draw(Float64Array.of(x, y), label.current);
    },
    move: (points) => {
      for (const value of points) stroke.current.push(value);
      page.samples += points.length / 2;
      session.draw(points, label.current);
    },
    up: () => {
      const points = finishStroke(stroke.current);
      page.last = points;
      void (points === null
        ? session.discardStroke()
        : session.apply({
            kind: 'add',
            mark: { kind: 'stroke', points: Float64Array.from(points.flat()), label: label.current },
          }));
    },
    cancel: () => void session.discardStroke(),
  };
  return (
    <PictureViewer
      ref={viewer}
      picture={pictureOf(state.file)}
      pointerMode={state.hand}
      pen={pen}
      light={state.light}
      marks={canvas}
      areMarksHidden={state.areMarksHidden}
      penWidth={25}
      onView={(facts) => {
        page.facts = facts;
        page.failed = null;
        if (begun.current === state.file) return;
        begun.current = state.file;
        void session.begin(
          { ...rasterRule(3, facts.width, facts.height), styles: LOOKS, opacity: 0.6 },
          handStrokes(Number(query.get('strokes') ?? 0)),
        );
      }}
      onFailed={(error) => (page.failed = String(error))}
    />
  );
}

const root = document.getElementById('viewer');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
