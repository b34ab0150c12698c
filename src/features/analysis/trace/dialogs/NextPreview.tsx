import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { AnalysisRepository, NextImage, NoImage, TraceImage } from '../../../../data/repositories';
import { locationLabel } from '../../../../domain/analysis/free-draw/location-label';
import { Button } from '../../../../ui/controls/Button';
import { Dialog } from '../../../../ui/controls/Dialog';
import styles from './NextPreview.module.css';

export const NO_IMAGE_MESSAGES: Readonly<Record<NoImage, { readonly title: string; readonly text: string }>> = {
  'all-done': {
    title: 'All are analysed',
    text: 'You have analysed every photograph that can be reached from here. Thank you. New ones come with the next surveys.',
  },
  'no-link': {
    title: 'None is left on this tablet',
    text: 'The photographs that lie here are analysed. With a link there may be more of the census; your work is kept and goes ashore by itself.',
  },
  'nobody-here': {
    title: 'Nobody is at the tablet',
    text: 'Sign in, or say who you are, and the next photograph comes.',
  },
};

const NO_OTHER_IMAGE_MESSAGES: typeof NO_IMAGE_MESSAGES = {
  ...NO_IMAGE_MESSAGES,
  'all-done': {
    title: 'No other one is left',
    text: 'You have analysed every other photograph that can be reached from here. The one that you skipped waits, with what you painted on it.',
  },
  'no-link': {
    title: 'No other one is left on this tablet',
    text: 'The other photographs that lie here are analysed. With a link there may be more of the census; the one that you skipped waits, with what you painted on it.',
  },
};

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'picture'>;
  /** Confirmation of the save; null if the next photograph is shown without a save. */
  readonly saved: string | null;
  readonly isSkipped: boolean;
  readonly next: NextImage | null;
  readonly onStart: (image: TraceImage) => void;
  readonly onSkip: (image: TraceImage) => void;
  readonly onStay: () => void;
}

/** Preview before the next photograph opens (2§2 "a preview overlay for the next image"). */
export function NextPreview({ analyses, saved, isSkipped, next, onStart, onSkip, onStay }: Props) {
  if (next === null) {
    return (
      <Dialog isOpen onClose={onStay} title={saved ?? 'The next photograph'}>
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
        title={saved ?? title}
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
        {saved !== null && <h3>{title}</h3>}
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
      title={saved ?? 'The next photograph'}
      actions={
        <>
          <span className={styles.leave}>
            <Link to="/analysis">Enough for now</Link>
          </span>
          <Button onPress={() => onSkip(image)}>Skip</Button>
          <Button variant="primary" autoFocus onPress={() => onStart(image)}>
            Start
          </Button>
        </>
      }
    >
      <div className={styles.next}>
        <Picture key={image.id} analyses={analyses} image={image} />
        <p>
          <b>{image.survey.name === '' ? 'A photograph of the census' : image.survey.name}</b>
          {[place, image.name, by === '' ? null : `photograph by ${by}`]
            .filter((word) => word !== null && word !== '')
            .join(' · ')}
        </p>
      </div>
    </Dialog>
  );
}

function Picture({
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
          ? 'The picture is being read.'
          : 'The picture cannot be shown now. Skip it, or try with a link.'}
      </div>
    );
  return (
    <img
      className={styles.picture}
      src={shown.url}
      alt={image.name === '' ? 'The next photograph' : `The next photograph, ${image.name}`}
    />
  );
}
