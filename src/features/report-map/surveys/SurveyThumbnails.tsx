import type { ReportImage, ReportRepository } from '../../../data/repositories';
import styles from './SurveyThumbnails.module.css';
import { usePicture } from './use-picture';

/** Two rows of three. */
const THUMBNAILS_MAX = 6;
const SMALL = ['small'] as const;

interface Props {
  readonly report: Pick<ReportRepository, 'picture'>;
  readonly images: readonly ReportImage[];
  /** @param page from 1 */
  readonly onOpen: (page: number) => void;
}

/** First images of a survey on its card (3§2 "a survey card with the images"); each opens the dialog there. */
export function SurveyThumbnails({ report, images, onOpen }: Props) {
  if (images.length === 0) return null;
  return (
    <ul className={styles.thumbnails} aria-label="Images">
      {images.slice(0, THUMBNAILS_MAX).map((image, n) => (
        <li key={image.id}>
          <Thumbnail
            report={report}
            image={image}
            page={n + 1}
            left={n === THUMBNAILS_MAX - 1 ? images.length - THUMBNAILS_MAX : 0}
            onOpen={onOpen}
          />
        </li>
      ))}
    </ul>
  );
}

interface ThumbnailProps extends Pick<Props, 'report' | 'onOpen'> {
  readonly image: ReportImage;
  readonly page: number;
  /** Images after the last thumbnail. */
  readonly left: number;
}

function Thumbnail({ report, image, page, left, onOpen }: ThumbnailProps) {
  const picture = usePicture(report, image, SMALL);
  return (
    <button
      type="button"
      className={styles.thumbnail}
      aria-label={`Open photograph ${page}${left > 0 ? `, ${left} more follow` : ''}`}
      onClick={() => onOpen(page)}
    >
      {picture.status === 'shown' ? <img src={picture.url} alt="" /> : <span>{page}</span>}
      {left > 0 && <b>+{left.toLocaleString('en')}</b>}
    </button>
  );
}
