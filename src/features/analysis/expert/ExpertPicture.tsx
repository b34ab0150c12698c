import { useRef, useState } from 'react';
import type { AnalysisRepository, TraceImage } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { PictureViewer } from '../../picture-viewer';
import type { PenInput, ViewerHandle } from '../../picture-viewer';
import { useViewedPicture } from '../stage/use-viewed-picture';
import styles from './expert.module.css';

const NO_PEN: PenInput = { down: nothing, move: nothing, up: nothing, cancel: nothing };
const ZOOM_BY = 1.5;
/** CSS px per press of an arrow key. */
const PAN_BY = 60;

/** Photograph shown next to the form, for viewing only. */
export function ExpertPicture({
  analyses,
  image,
}: {
  readonly analyses: Pick<AnalysisRepository, 'picture' | 'corrected'>;
  readonly image: TraceImage;
}) {
  const viewer = useRef<ViewerHandle>(null);
  const [isFailed, setFailed] = useState(false);
  const [isCorrected, setCorrected] = useState(false);
  const [turn, setTurn] = useState(0);
  const picture = useViewedPicture(analyses, image, turn);
  const tryAgain = (): void => {
    setFailed(false);
    setTurn(turn + 1);
  };
  if (isFailed) {
    return (
      <div className={styles.noPicture}>
        <Note
          tone="look"
          icon="alert"
          role="alert"
          title="The photograph cannot be shown"
          action={<Button onPress={tryAgain}>Try again</Button>}
        >
          Your entries are safe on this tablet. Connect to the box or the shore to fetch the picture.
        </Note>
      </div>
    );
  }
  const keys: Readonly<Record<string, () => void>> = {
    '+': () => viewer.current?.zoomBy(ZOOM_BY),
    '=': () => viewer.current?.zoomBy(ZOOM_BY),
    '-': () => viewer.current?.zoomBy(1 / ZOOM_BY),
    '0': () => viewer.current?.fit(),
    ArrowLeft: () => viewer.current?.panBy(PAN_BY, 0),
    ArrowRight: () => viewer.current?.panBy(-PAN_BY, 0),
    ArrowUp: () => viewer.current?.panBy(0, PAN_BY),
    ArrowDown: () => viewer.current?.panBy(0, -PAN_BY),
  };
  return (
    <div className={styles.stage}>
      <div
        className={styles.picture}
        tabIndex={0}
        role="application"
        aria-label={`${picture.name}. Arrow keys move the picture, plus and minus zoom.`}
        onKeyDown={(event) => {
          const does = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
          if (does === undefined) return;
          event.preventDefault();
          does();
        }}
      >
        <PictureViewer
          key={picture.key}
          ref={viewer}
          picture={picture}
          pointerMode="move"
          pen={NO_PEN}
          light={{ brightness: 1, contrast: 1, isCorrected }}
          marks={null}
          areMarksHidden={false}
          onView={nothing}
          onFailed={(error) => {
            console.warn('The photograph could not be shown:', error);
            setFailed(true);
          }}
          penWidth={null}
        />
      </div>
      <div className={styles.zoom} role="group" aria-label="Picture">
        <Button icon="zoomin" aria-label="Zoom in" onPress={() => viewer.current?.zoomBy(ZOOM_BY)} />
        <Button icon="zoomout" aria-label="Zoom out" onPress={() => viewer.current?.zoomBy(1 / ZOOM_BY)} />
        <Button
          icon="sun"
          aria-label={isCorrected ? 'Show original colours' : 'Correct colours'}
          onPress={() => setCorrected(!isCorrected)}
        />
      </div>
    </div>
  );
}

function nothing(): void {
  // Viewing changes nothing.
}
