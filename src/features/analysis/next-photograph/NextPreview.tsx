import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import type { AnalysisRepository, NextImage, NoImage, TraceImage } from '../../../data/repositories';
import { locationLabel } from '../../../domain/position/location-label';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import styles from './NextPreview.module.css';

export const NO_IMAGE_MESSAGES: Readonly<Record<NoImage, { readonly title: string; readonly text: string }>> = {
  'all-done': {
    title: 'All photographs are analysed',
    text: 'You have analysed every photograph within reach. Thank you. New ones arrive with the next surveys.',
  },
  'no-link': {
    title: 'No photographs left on this tablet',
    text: 'You have analysed every photograph that is stored here. Connect to find more of the census. Your work is saved and sent automatically.',
  },
  failed: {
    title: 'The next photograph could not be loaded',
    text: 'The shore did not answer, and no other photograph is stored here. Your work is saved. Check the connection and try again.',
  },
  'nobody-here': {
    title: 'No one is using this tablet',
    text: 'Sign in or enter your name to get the next photograph.',
  },
};

const NO_OTHER_IMAGE_MESSAGES: typeof NO_IMAGE_MESSAGES = {
  ...NO_IMAGE_MESSAGES,
  'all-done': {
    title: 'No other photographs left',
    text: 'You have analysed every other photograph within reach. The one you skipped is waiting, with everything you did on it.',
  },
  'no-link': {
    title: 'No other photographs left on this tablet',
    text: 'You have analysed every other photograph that is stored here. Connect to find more of the census. The one you skipped is waiting, with everything you did on it.',
  },
};

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'picture'>;
  /** False if the next photograph is shown without a save. */
  readonly saved: boolean;
  /** Summary of the saved work. */
  readonly result?: ReactNode;
  readonly isSkipped: boolean;
  readonly next: NextImage | null;
  readonly onStart: (image: TraceImage) => void;
  readonly onSkip: (image: TraceImage) => void;
  readonly onStay: () => void;
}

/** Preview before the next photograph opens (2§2 "a preview overlay for the next image"). */
export function NextPreview({ analyses, saved, result, isSkipped, next, onStart, onSkip, onStay }: Props) {
  if (next === null) {
    return (
      <Dialog isOpen onClose={onStay} title={saved ? 'Saved' : 'Next photograph'}>
        {result}
        <p role="status">Looking for the next photograph.</p>
      </Dialog>
    );
  }
  if ('none' in next) {
    const { title, text } = (isSkipped ? NO_OTHER_IMAGE_MESSAGES : NO_IMAGE_MESSAGES)[next.none];
    return (
      <Dialog
        isOpen
        onClose={onStay}
        title={saved ? 'Saved' : title}
        actions={
          <>
            <span className={styles.leave}>
              <Link to="/analysis">Back to Analyse</Link>
            </span>
            <Button variant="primary" onPress={onStay}>
              Stay here
            </Button>
          </>
        }
      >
        {result}
        {saved && <h3>{title}</h3>}
        <p>{text}</p>
      </Dialog>
    );
  }
  const { image } = next;
  const place = locationLabel(image.latitude);
  const by = [image.photographer.name, image.photographer.organisation]
    .filter((word) => word !== null && word !== '')
    .join(', ');
  return (
    <Dialog
      isOpen
      wide
      onClose={onStay}
      title={saved ? 'Saved. Next one:' : 'Next photograph'}
      actions={
        <>
          <span className={styles.leave}>
            <Link to="/analysis">Stop for now</Link>
          </span>
          <Button onPress={() => onSkip(image)}>Skip</Button>
          <Button variant="primary" autoFocus onPress={() => onStart(image)}>
            Start
          </Button>
        </>
      }
    >
      {result}
      <div className={styles.next}>
        <PhotographPreview key={image.id} analyses={analyses} image={image} />
        <p>
          <b>{image.survey.name === '' ? 'A census photograph' : image.survey.name}</b>
          {[place, image.name, by === '' ? null : `photograph by ${by}`]
            .filter((word) => word !== null && word !== '')
            .join(' · ')}
        </p>
      </div>
    </Dialog>
  );
}

/** Small picture of a photograph that is not open. */
export function PhotographPreview({
  analyses,
  image,
}: {
  readonly analyses: Pick<AnalysisRepository, 'picture'>;
  readonly image: TraceImage;
}) {
  const [shown, setShown] = useState<{ readonly url: string } | 'failed' | null>(null);
  useEffect(() => {
    let isOver = false;
    let url: string | undefined;
    analyses.picture(image, 800).then(
      ({ blob }) => {
        if (isOver) return;
        url = URL.createObjectURL(blob);
        setShown({ url });
      },
      () => {
        // Opening the photograph fetches the picture again.
        if (!isOver) setShown('failed');
      },
    );
    return () => {
      isOver = true;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [analyses, image]);
  if (shown === null || shown === 'failed')
    return (
      <div className={styles.none}>
        {shown === null
          ? 'Loading the picture.'
          : 'The picture cannot be shown now. Skip it, or try again with a connection.'}
      </div>
    );
  return (
    <img
      className={styles.picture}
      src={shown.url}
      alt={image.name === '' ? 'Next photograph' : `Next photograph, ${image.name}`}
    />
  );
}
