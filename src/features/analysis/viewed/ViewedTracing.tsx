import { useMemo, useRef, useState, type ComponentProps } from 'react';
import type { AnalysisContent, AnalysisRepository, TraceImage } from '../../../data/repositories';
import { paletteOf } from '../../../domain/analysis/free-draw/colours';
import type { CategoryClass } from '../../../domain/analysis/free-draw/categories';
import { Note } from '../../../ui/feedback/Note';
import { useShortcuts } from '../../../ui/keys/use-shortcuts';
import type { PenInput, ViewerHandle } from '../../picture-viewer';
import { useLetters } from '../canvas/use-letters';
import { useCanvas, useTraceEditor, type TraceDocument } from '../canvas/use-trace-editor';
import { PLAIN_LIGHT } from '../stage/LightControls';
import { useViewedPicture } from '../stage/use-viewed-picture';
import { Stage } from '../trace/Stage';
import { PictureFailedNote } from './PictureFailedNote';
import { ViewedLayout, type LegendRow, type ViewedFacts } from './ViewedLayout';

type Traces = Extract<AnalysisContent, { readonly kind: 'free-draw' }>;

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'picture' | 'corrected'>;
  readonly image: TraceImage;
  readonly analysis: ViewedFacts;
  readonly traces: Traces;
  /** Answers other than marks, such as typed percentages. */
  readonly answers?: ComponentProps<typeof ViewedLayout>['answers'];
  /** Says what the answers are where no marks are shown. */
  readonly note?: { readonly title: string; readonly text: string } | null;
}

/** Tracing of someone else over its photograph, without tools. */
export function ViewedTracing({ analyses, image, analysis, traces, answers = [], note = null }: Props) {
  const viewer = useRef<ViewerHandle>(null);
  const place = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<TraceDocument['size']>(traces.size);
  const [failed, setFailed] = useState<unknown>(null);
  const opened = useTraceEditor(
    useMemo(
      () => ({ key: analysis.id, version: traces.version, marks: traces.marks, undone: [], journal: null, size }),
      [analysis.id, traces, size],
    ),
    { showMessage: nothing, onFailed: setFailed, onJournalState: nothing },
  );
  const canvas = useCanvas(opened);
  const letters = useLetters(opened);
  const pan = (x: number, y: number) => () => viewer.current?.panBy(x, y);
  const zoom = (factor: number) => () => viewer.current?.zoomBy(factor);
  useShortcuts({
    ArrowLeft: { label: 'Move the picture', run: pan(PAN_BY, 0) },
    ArrowRight: { label: 'Move the picture', run: pan(-PAN_BY, 0) },
    ArrowUp: { label: 'Move the picture', run: pan(0, PAN_BY) },
    ArrowDown: { label: 'Move the picture', run: pan(0, -PAN_BY) },
    '+': { label: 'Zoom in', run: zoom(ZOOM_BY) },
    '=': { label: 'Zoom in', run: zoom(ZOOM_BY) },
    '-': { label: 'Zoom out', run: zoom(1 / ZOOM_BY) },
    f: { label: 'Show the whole picture', run: () => viewer.current?.fit() },
  });
  return (
    <ViewedLayout
      analysis={analysis}
      legend={legendOf(traces)}
      answers={answers}
      stage={
        <Stage
          viewer={viewer}
          place={place}
          picture={useViewedPicture(analyses, image)}
          keysHint="Arrow keys move the picture, plus and minus zoom."
          pointerMode="move"
          pen={NO_PEN}
          light={PLAIN_LIGHT}
          marks={canvas}
          areMarksHidden={false}
          letters={letters}
          draft={null}
          outline={null}
          cross={null}
          isPenDown={false}
          penWidthShare={null}
          toolHand="right"
          onSize={({ width, height }) => setSize((before) => before ?? { width, height })}
          onFailed={setFailed}
        />
      }
    >
      {note !== null && (
        <Note icon="info" title={note.title}>
          {note.text}
        </Note>
      )}
      {failed !== null && <PictureFailedNote />}
    </ViewedLayout>
  );
}

/** Classes of the marks in their order of cover. */
function legendOf({ marks, stats }: Traces): readonly LegendRow[] {
  const classes = new Set(marks.flatMap(({ paints }): CategoryClass[] => (paints === 'erase' ? [] : [paints])));
  const shareOf = ({ type, mod }: CategoryClass): number | null =>
    stats?.categories.find((each) => each.id === type.id && each.mod === mod)?.coverage ?? null;
  return [...classes]
    .map((of) => ({
      key: `${of.label}`,
      label: of.mod === undefined || of.mod === 'live' ? of.type.label : `${of.type.label}, ${of.mod}`,
      style: { palette: paletteOf(of), mark: of.type.mark },
      share: shareOf(of),
    }))
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
}

const nothing = (): void => undefined;
const NO_PEN: PenInput = { down: nothing, move: nothing, up: nothing, cancel: nothing };
/** CSS px per press of an arrow key. */
const PAN_BY = 60;
const ZOOM_BY = 1.5;
