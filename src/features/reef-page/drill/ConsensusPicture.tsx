import { useMemo, useRef, useState } from 'react';
import type { DoubtfulPlace, ReportImage, ReportRepository } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { PLAIN_LIGHT } from '../../analysis';
import { PictureViewer, type PenInput, type ViewedPicture, type ViewerHandle } from '../../picture-viewer';
import styles from '../ReefPage.module.css';

const NO_PEN: PenInput = { down: nothing, move: nothing, up: nothing, cancel: nothing };
const ZOOM_BY = 1.5;

interface Props {
  readonly report: Pick<ReportRepository, 'picture'>;
  readonly image: ReportImage;
  readonly places: readonly DoubtfulPlace[];
}

/** Photograph with its places in doubt drawn over it; the list below the picture has the same places as text. */
export function ConsensusPicture({ report, image, places }: Props) {
  const viewer = useRef<ViewerHandle>(null);
  const [attempt, setAttempt] = useState(0);
  const [isFailed, setFailed] = useState(false);
  const picture = useMemo(
    (): ViewedPicture => ({
      key: `${image.id} ${attempt}`,
      open: async (size) => ({
        blob: await report.picture(image, size === 800 ? 'small' : 'large'),
        size: size === 800 ? 800 : 2000,
      }),
      openCorrected: null,
      name: image.name === '' ? 'Photograph with places in doubt' : `Photograph ${image.name} with places in doubt`,
    }),
    [report, image, attempt],
  );
  if (isFailed)
    return (
      <Note
        tone="look"
        icon="alert"
        role="status"
        title="The photograph cannot be shown"
        action={
          <Button
            onPress={() => {
              setFailed(false);
              setAttempt(attempt + 1);
            }}
          >
            Try again
          </Button>
        }
      >
        The answers are below. Connect to the box or the shore to fetch the picture.
      </Note>
    );
  return (
    <>
      <div className={styles.stage}>
        <PictureViewer
          key={picture.key}
          ref={viewer}
          picture={picture}
          pointerMode="move"
          pen={NO_PEN}
          light={PLAIN_LIGHT}
          marks={null}
          areMarksHidden={false}
          onView={nothing}
          onFailed={(error) => {
            console.warn('The photograph could not be shown:', error);
            setFailed(true);
          }}
          penWidth={null}
        >
          {places.map(({ id, box: [left, top, right, bottom] }) => (
            <g key={id} data-place={id}>
              <rect className={styles.doubtUnder} x={left} y={top} width={right - left} height={bottom - top} />
              <rect className={styles.doubt} x={left} y={top} width={right - left} height={bottom - top} />
            </g>
          ))}
        </PictureViewer>
      </div>
      <div className={styles.actions} role="group" aria-label="Picture">
        <Button icon="zoomin" aria-label="Zoom in" onPress={() => viewer.current?.zoomBy(ZOOM_BY)} />
        <Button icon="zoomout" aria-label="Zoom out" onPress={() => viewer.current?.zoomBy(1 / ZOOM_BY)} />
        <Button onPress={() => viewer.current?.fit()}>Whole picture</Button>
      </div>
    </>
  );
}

function nothing(): void {
  // Viewing changes nothing.
}
