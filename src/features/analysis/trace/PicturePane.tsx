import { useRef, useState } from 'react';
import { rasterRule } from '../../../domain/analysis/free-draw/raster-rule';
import { LazyLearning } from '../learning/lazy-learning';
import { LightControls } from '../stage/LightControls';
import { LearningSlot } from './LearningSlot';
import { useViewedPicture } from '../stage/use-viewed-picture';
import { Stage } from './Stage';
import { usePenHand } from '../stage/pen-hand';
import { ThumbToolbar } from './toolbar/ThumbToolbar';
import { TopBar } from './toolbar/TopBar';
import styles from './Tracing.module.css';
import type { TraceScreen } from './use-trace-screen';

/** Picture with everything that floats over it. */
export function PicturePane({ screen }: { readonly screen: TraceScreen }) {
  const { props, editors, painting, viewer, state, dispatch, light, dialog, setDialog, learning } = screen;
  const { image, repositories, uid, isExpert, teacher } = props;
  const { editorState, isPractice, isReadOnly, openEditor } = editors;
  const { cross } = painting;
  const hand = usePenHand();
  const [shownSize, setShownSize] = useState<number | null>(null);
  const pictureError = useRef<unknown>(null);
  const ownPicture = useViewedPicture(repositories.census.analyses, image);
  return (
    <Stage
      viewer={viewer}
      place={screen.place}
      picture={learning.practice?.picture ?? ownPicture}
      keysHint="Arrow keys move the picture, plus and minus zoom, K paints by keyboard."
      pointerMode={state.tool === 'move' ? 'move' : 'paint'}
      pen={painting.pen}
      light={light}
      marks={editors.canvas}
      areMarksHidden={state.areMarksHidden}
      letters={editors.letters}
      draft={editorState.draft}
      outline={screen.outline}
      cross={cross.at}
      isPenDown={cross.isDown}
      penWidthShare={PEN_WIDTH_SHARE}
      toolHand={hand}
      onSize={({ width, height, shownAt, reducedTo }) => {
        setShownSize(reducedTo);
        // The picture is there: an earlier failure to show it is over.
        if (pictureError.current !== null)
          editors.setFailed((now: unknown) => (now === pictureError.current ? null : now));
        // Returns the previous object for the same picture, so that zooming does not re-render.
        screen.setReducedSize((before) =>
          shownAt === null ? null : before?.shownAt === shownAt ? before : { width, height, shownAt },
        );
        if (!isPractice) editors.setSize((before) => before ?? { width, height });
      }}
      onFailed={(error) => {
        pictureError.current = error;
        editors.setFailed(error);
      }}
    >
      <TopBar
        image={image}
        edge={repositories.edge}
        journalState={editors.journalState}
        isReadOnly={isReadOnly}
        // Public training has nothing to save, before its first picture either.
        isPractice={isPractice || teacher !== undefined}
        shownSize={shownSize}
        onMore={() => setDialog('ways')}
      />
      <ThumbToolbar
        tool={state.tool}
        onTool={(tool) => dispatch({ type: 'tool', tool })}
        areaTools={painting.tools}
        canUndo={(editorState.canUndo || editorState.draft !== null) && !isReadOnly}
        canRedo={editorState.canRedo && !isReadOnly}
        onUndo={painting.undo}
        onRedo={painting.redo}
        onZap={painting.zap}
        onHelp={() => setDialog('class')}
        onRotate={() => viewer.current?.rotate()}
        isReadOnly={isReadOnly}
        hand={hand}
      />
      <p className={styles.words} role="status">
        {screen.message ??
          (state.byKeys
            ? `Painting by keyboard: arrow keys move, Space puts the pen ${cross.isDown ? 'up' : 'down'}, K stops.`
            : '')}
      </p>
      <LearningSlot
        {...learning}
        teacher={teacher ?? LazyLearning}
        openEditor={openEditor}
        state={state}
        dispatch={dispatch}
        uid={uid}
        isExpert={isExpert}
      />
      {dialog === 'light' && (
        <LightControls
          light={light}
          reducedSize={screen.reducedSize}
          onLight={screen.setLight}
          areMarksHidden={state.areMarksHidden}
          onHide={(hidden) => dispatch({ type: 'hide-marks', hidden })}
          onRotate={() => viewer.current?.rotate()}
          onClose={() => setDialog(null)}
        />
      )}
    </Stage>
  );
}

/** Pen width as a fraction of the picture's width: the same on every picture. */
const PEN_WIDTH_SHARE = ((rule) => rule.penWidth / rule.width)(rasterRule(3, 1, 1));
