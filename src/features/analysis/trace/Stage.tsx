import { useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { CATEGORY_CLASSES } from '../../../domain/analysis/free-draw/categories';
import { Button } from 'react-aria-components';
import { Icon } from '../../../ui/display/Icon';
import { PictureViewer } from '../../picture-viewer';
import type { PenInput, PictureLight, ViewedPicture, ViewerHandle, ViewState } from '../../picture-viewer';
import type { ToolDraft } from '../tools/tool';
import type { LetterPlace } from '../canvas/letter-places';
import styles from './Stage.module.css';
import { Letter } from '../canvas/Swatch';

interface Props {
  readonly viewer: RefObject<ViewerHandle | null>;
  readonly place: RefObject<HTMLDivElement | null>;
  readonly picture: ViewedPicture;
  readonly pointerMode: 'move' | 'paint';
  readonly pen: PenInput;
  readonly light: PictureLight;
  readonly marks: HTMLCanvasElement | null;
  readonly areMarksHidden: boolean;
  readonly letters: readonly LetterPlace[];
  readonly draft: ToolDraft | null;
  /** SVG path in a 1 by 1 box; null for none. */
  readonly outline: string | null;
  readonly cross: readonly [number, number] | null;
  readonly isPenDown: boolean;
  readonly penWidthShare: number;
  readonly toolHand: 'left' | 'right';
  readonly onSize: (size: Pick<ViewState, 'width' | 'height' | 'shownAt' | 'reducedTo'>) => void;
  readonly onFailed: (error: unknown) => void;
  readonly children?: ReactNode;
}

/** Side of a letter on screen, CSS px; smaller when the whole picture is visible. */
const letterPx = ({ scale, width }: ViewState): number => Math.max(18, Math.min(26, (scale * width) / 28));

export function Stage(props: Props) {
  const {
    viewer,
    place,
    picture,
    pointerMode,
    pen,
    light,
    marks,
    areMarksHidden,
    letters,
    draft,
    outline,
    cross,
    isPenDown,
    penWidthShare,
    toolHand,
    onSize,
    onFailed,
    children,
  } = props;
  const [view, setView] = useState<ViewState | null>(null);
  const onView = (facts: ViewState): void => {
    setView(facts);
    onSize(facts);
  };
  const fit = useFitScale(place, view);
  const stage = useRef<HTMLDivElement>(null);
  const pointerPen = useFadingTools(pen, stage);
  // Screen px in the picture's own 1 by 1 box.
  const [ux, uy] = view === null ? [0, 0] : [1 / (view.scale * view.width), 1 / (view.scale * view.height)];
  return (
    <div ref={stage} className={`${styles.stage} ${toolHand === 'left' ? styles.left : ''}`}>
      <div
        ref={place}
        className={styles.picture}
        tabIndex={0}
        role="application"
        aria-label={`${picture.name}. Arrow keys move the picture, plus and minus zoom, K paints by keyboard.`}
      >
        <PictureViewer
          key={picture.key}
          ref={viewer}
          picture={picture}
          pointerMode={pointerMode}
          pen={pointerPen}
          light={light}
          marks={marks}
          areMarksHidden={areMarksHidden}
          onView={onView}
          onFailed={onFailed}
          penWidth={view === null ? null : penWidthShare * view.width}
        >
          {view !== null && (
            <>
              {!areMarksHidden &&
                letters.map(({ label, x, y }) => {
                  const of = CATEGORY_CLASSES[label - 1];
                  return of === undefined ? null : (
                    <g
                      key={`${label} ${x} ${y}`}
                      transform={`translate(${x} ${y}) scale(${ux} ${uy}) rotate(${-90 * view.turns})`}
                    >
                      <Letter of={of} x={0} y={0} size={letterPx(view)} />
                    </g>
                  );
                })}
              {outline !== null && (
                <>
                  <path className={styles.outlineUnder} d={outline} />
                  <path className={styles.outlineOver} d={outline} />
                </>
              )}
              {draft !== null && <Draft draft={draft} ux={ux} uy={uy} />}
              {cross !== null && (
                <g
                  className={isPenDown ? styles.crossDown : styles.cross}
                  transform={`translate(${cross[0]} ${cross[1]}) scale(${ux} ${uy})`}
                >
                  <path className={styles.under} d="M-26 0h18M8 0h18M0 -26v18M0 8v18" />
                  <path className={styles.over} d="M-26 0h18M8 0h18M0 -26v18M0 8v18" />
                  <circle className={styles.under} r={6} />
                  <circle className={styles.over} r={6} />
                </g>
              )}
            </>
          )}
        </PictureViewer>
      </div>
      <div className={styles.zoom} role="group" aria-label="Zoom">
        <Button
          className={styles.zoomButton ?? ''}
          aria-label="Zoom in"
          onPress={() => viewer.current?.zoomBy(ZOOM_BY)}
        >
          <Icon name="zoomin" />
        </Button>
        <Button
          className={styles.zoomStep ?? ''}
          aria-label={`Next zoom step, now ${formatZoom(view, fit)}`}
          onPress={() => viewer.current?.nextZoomStep()}
        >
          {formatZoom(view, fit)}
        </Button>
        <Button
          className={styles.zoomButton ?? ''}
          aria-label="Zoom out"
          onPress={() => viewer.current?.zoomBy(1 / ZOOM_BY)}
        >
          <Icon name="zoomout" />
        </Button>
      </div>
      {children}
    </div>
  );
}

/** Pen of a pointer on the picture: while it paints, everything over the picture fades. */
function useFadingTools(pen: PenInput, stage: RefObject<HTMLElement | null>): PenInput {
  return useMemo(() => {
    // Without a render: the pen goes first.
    const setPainting = (isPainting: boolean): void => void stage.current?.toggleAttribute('data-painting', isPainting);
    return {
      down: (x, y) => {
        setPainting(true);
        pen.down(x, y);
      },
      move: pen.move,
      up: () => {
        setPainting(false);
        pen.up();
      },
      cancel: () => {
        setPainting(false);
        pen.cancel();
      },
    };
  }, [pen, stage]);
}

/** Zoom factor of a button press, about that between two of the four steps. */
const ZOOM_BY = 1.5;

/** Formats the scale relative to the one at which the whole picture fits. */
const formatZoom = (view: ViewState | null, fit: number): string =>
  view === null || fit === 0 ? '1×' : `${(view.scale / fit).toFixed(1)}×`;

/** CSS px per px of the picture at which the whole picture fits. */
function useFitScale(place: RefObject<HTMLDivElement | null>, view: ViewState | null): number {
  const [box, setBox] = useState<{ readonly width: number; readonly height: number } | null>(null);
  useEffect(() => {
    const at = place.current;
    if (at === null) return undefined;
    const observer = new ResizeObserver(() => setBox({ width: at.clientWidth, height: at.clientHeight }));
    observer.observe(at);
    return () => observer.disconnect();
  }, [place]);
  if (view === null || box === null) return 0;
  const [width, height] = view.turns % 2 === 0 ? [view.width, view.height] : [view.height, view.width];
  return Math.min(box.width / width, box.height / height);
}

/** White dashes over ink with corners; the first one is ringed when the line would close. */
function Draft({
  draft: { line, corners, isClosing, closing },
  ux,
  uy,
}: {
  readonly draft: ToolDraft;
  readonly ux: number;
  readonly uy: number;
}) {
  const pointsOf = (places: ToolDraft['line']): string =>
    places.map((position) => `${position[0] ?? 0},${position[1] ?? 0}`).join(' ');
  const points = pointsOf(line);
  return (
    <g className={styles.draft}>
      {closing.length > 0 && <polyline className={styles.closingLine} points={pointsOf(closing)} />}
      <polyline className={styles.draftUnder} points={points} />
      <polyline className={styles.draftOver} points={points} />
      {corners.map((position, index) => (
        <g key={index} transform={`translate(${position[0] ?? 0} ${position[1] ?? 0}) scale(${ux} ${uy})`}>
          <circle
            className={index === 0 && isClosing ? styles.closing : styles.corner}
            r={index === 0 && isClosing ? 12 : 7}
          />
        </g>
      ))}
    </g>
  );
}
