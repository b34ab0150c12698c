import { useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import type { Outline } from '../../../domain/analysis/labelling/outline';
import type { ClassStyle } from '../../../domain/analysis/palette';
import type { Position } from '../../../domain/geobuf/geojson';
import { ANALYSIS_LIMITS } from '../../../domain/limits';
import { PictureViewer } from '../../picture-viewer';
import type { PenInput, PictureLight, ViewedPicture, ViewerHandle, ViewState } from '../../picture-viewer';
import type { ActiveLayerHandle } from './ActiveLayer';
import { outlineAt } from './hit-test';
import { Magnifier } from './Magnifier';
import { OutlineLayers } from './OutlineLayers';
import { drawnPath, drawnRing, outlinePenWidth } from './outline-pen';
import styles from './LabelStage.module.css';
import type { LabelTool } from './StageTools';

interface Props {
  readonly viewer: RefObject<ViewerHandle | null>;
  readonly picture: ViewedPicture;
  readonly light: PictureLight;
  readonly outlines: readonly Outline[];
  readonly labels: ReadonlyMap<string, ClassStyle>;
  /** Styles of all labels that may come; the same on each render. */
  readonly styles: readonly ClassStyle[];
  readonly activeLayer: RefObject<ActiveLayerHandle | null>;
  /** Style of the whole-image fill; null for none. */
  readonly zap: ClassStyle | null;
  readonly active: Outline | null;
  /** Outlines that the question is about; null in the step of labels. */
  readonly highlighted: readonly Outline[] | null;
  readonly tool: LabelTool;
  readonly view: ViewState | null;
  readonly onView: (view: ViewState) => void;
  readonly onTap: (outline: Outline) => void;
  /** Closed line that an expert drew, normalised. */
  readonly onDrawn: (points: readonly Position[]) => void;
  readonly onFailed: (error: unknown) => void;
  /** Parts that float over the picture, such as the region's label. */
  readonly over: ReactNode;
  /** Tools of the picture. */
  readonly children: ReactNode;
}

/** Zoom of labelling (2§9 "ML zoom min 1, max 3, step 0.5"). */
const ZOOM_LIMITS = { min: ANALYSIS_LIMITS.mlZoomMin, max: ANALYSIS_LIMITS.mlZoomMax };

const NO_SIZE = { width: 0, height: 0 };

/** Photograph with its outlines: a tap chooses the smallest one under the finger. */
export function LabelStage(props: Props) {
  const { viewer, picture, outlines, labels, active, highlighted, tool, view, children } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const pen = usePen(props, setDraft);
  return (
    <div className={styles.stage}>
      <div className={styles.picture}>
        <PictureViewer
          key={picture.key}
          ref={viewer}
          picture={picture}
          pointerMode={tool === 'pen' ? 'paint' : 'move'}
          pen={pen}
          light={props.light}
          marks={null}
          areMarksHidden={false}
          zoomLimits={ZOOM_LIMITS}
          onView={props.onView}
          onFailed={props.onFailed}
          penWidth={tool === 'pen' && view !== null ? outlinePenWidth(view.width) : null}
          layers={
            view === null ? null : (
              <OutlineLayers
                view={view}
                outlines={outlines}
                labels={labels}
                styles={props.styles}
                activeLayer={props.activeLayer}
                zap={props.zap}
                active={active}
                highlighted={highlighted}
              />
            )
          }
        >
          {draft !== null && (
            <>
              <path className={styles.draftUnder} d={draft} />
              <path
                className={styles.draftOver}
                d={draft}
                style={{
                  strokeWidth: view === null ? undefined : Math.max(2.5, outlinePenWidth(view.width) * view.scale),
                }}
              />
            </>
          )}
        </PictureViewer>
        {props.over}
        {view !== null && highlighted === null && <Magnifier viewer={viewer} view={view} outline={active} />}
      </div>
      {children}
    </div>
  );
}

function usePen({ onTap, onDrawn, outlines, view }: Props, setDraft: (path: string | null) => void): PenInput {
  const latest = useRef({ onTap, onDrawn, outlines, view });
  latest.current = { onTap, onDrawn, outlines, view };
  return useMemo(() => {
    let points: number[] = [];
    const end = (): void => {
      points = [];
      setDraft(null);
    };
    return {
      tap: (x, y) => {
        const { outlines: shown, view: at } = latest.current;
        const screen = at === null ? NO_SIZE : { width: at.width * at.scale, height: at.height * at.scale };
        const found = outlineAt(shown, x, y, screen);
        if (found !== null) latest.current.onTap(found);
      },
      down: (x, y) => {
        points = [x, y];
      },
      move: (samples) => {
        points.push(...samples);
        setDraft(drawnPath(points));
      },
      up: () => {
        const drawn = drawnRing(points);
        end();
        if (drawn !== null) latest.current.onDrawn(drawn);
      },
      cancel: end,
    };
  }, [setDraft]);
}
