import { useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { Button } from 'react-aria-components';
import { Icon } from '../../../ui/display/Icon';
import { PictureViewer } from '../../picture-viewer';
import type { PenInput, PictureLight, ViewedPicture, ViewerHandle, ViewState } from '../../picture-viewer';
import styles from './PhotoStage.module.css';

/** Size of a screen px in the picture's own 1 by 1 box. */
export interface UnitSize {
  readonly ux: number;
  readonly uy: number;
}

interface Props {
  readonly viewer: RefObject<ViewerHandle | null>;
  readonly place: RefObject<HTMLDivElement | null>;
  readonly picture: ViewedPicture;
  /** Says what the keys do; read aloud after the picture's name. */
  readonly keysHint: string;
  readonly pointerMode: 'move' | 'paint';
  readonly pen: PenInput;
  readonly light: PictureLight;
  readonly marks: HTMLCanvasElement | null;
  readonly areMarksHidden: boolean;
  /** SVG over the picture, in a 1 by 1 box (normalised places). */
  readonly overlay: (view: ViewState, unit: UnitSize) => ReactNode;
  /** Cross-hair of `useCrossHair`, normalised; null for none. */
  readonly cross: readonly [number, number] | null;
  readonly isPenDown: boolean;
  /** Pen width as a fraction of the picture's width; null for no ring around the pointer. */
  readonly penWidthShare: number | null;
  readonly toolHand: 'left' | 'right';
  readonly onSize: (size: Pick<ViewState, 'width' | 'height' | 'shownAt' | 'reducedTo'>) => void;
  readonly onFailed: (error: unknown) => void;
  /** Parts that float over the picture, such as a toolbar. */
  readonly children?: ReactNode;
}

/** Photograph that fills its place, with cross-hair and zoom buttons. */
export function PhotoStage(props: Props) {
  const { viewer, place, picture, keysHint, pen, overlay, cross, isPenDown, penWidthShare, toolHand } = props;
  const { onSize, children } = props;
  const [view, setView] = useState<ViewState | null>(null);
  const onView = (facts: ViewState): void => {
    setView(facts);
    onSize(facts);
  };
  const fit = useFitScale(place, view);
  const stage = useRef<HTMLDivElement>(null);
  const pointerPen = useFadingTools(pen, stage);
  const unit: UnitSize =
    view === null ? { ux: 0, uy: 0 } : { ux: 1 / (view.scale * view.width), uy: 1 / (view.scale * view.height) };
  return (
    <div ref={stage} className={`${styles.stage} ${toolHand === 'left' ? styles.left : ''}`}>
      <div
        ref={place}
        className={styles.picture}
        tabIndex={0}
        role="application"
        aria-label={`${picture.name}. ${keysHint}`}
      >
        <PictureViewer
          key={picture.key}
          ref={viewer}
          picture={picture}
          pointerMode={props.pointerMode}
          pen={pointerPen}
          light={props.light}
          marks={props.marks}
          areMarksHidden={props.areMarksHidden}
          onView={onView}
          onFailed={props.onFailed}
          penWidth={view === null || penWidthShare === null ? null : penWidthShare * view.width}
        >
          {view !== null && (
            <>
              {overlay(view, unit)}
              {cross !== null && <CrossHair at={cross} isDown={isPenDown} {...unit} />}
            </>
          )}
        </PictureViewer>
      </div>
      <ZoomButtons viewer={viewer} zoomText={formatZoom(view, fit)} />
      {children}
    </div>
  );
}

function CrossHair({
  at: [x, y],
  isDown,
  ux,
  uy,
}: UnitSize & { readonly at: readonly [number, number]; readonly isDown: boolean }) {
  return (
    <g className={isDown ? styles.crossDown : styles.cross} transform={`translate(${x} ${y}) scale(${ux} ${uy})`}>
      <path className={styles.under} d="M-26 0h18M8 0h18M0 -26v18M0 8v18" />
      <path className={styles.over} d="M-26 0h18M8 0h18M0 -26v18M0 8v18" />
      <circle className={styles.under} r={6} />
      <circle className={styles.over} r={6} />
    </g>
  );
}

function ZoomButtons({ viewer, zoomText }: Pick<Props, 'viewer'> & { readonly zoomText: string }) {
  return (
    <div className={styles.zoom} role="group" aria-label="Zoom">
      <Button className={styles.zoomButton ?? ''} aria-label="Zoom in" onPress={() => viewer.current?.zoomBy(ZOOM_BY)}>
        <Icon name="zoomin" />
      </Button>
      <Button
        className={styles.zoomStep ?? ''}
        aria-label={`Next zoom step, now ${zoomText}`}
        onPress={() => viewer.current?.nextZoomStep()}
      >
        {zoomText}
      </Button>
      <Button
        className={styles.zoomButton ?? ''}
        aria-label="Zoom out"
        onPress={() => viewer.current?.zoomBy(1 / ZOOM_BY)}
      >
        <Icon name="zoomout" />
      </Button>
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
