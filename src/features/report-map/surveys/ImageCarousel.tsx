import { useState } from 'react';
import type { ReportImage, ReportRepository } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import styles from './ImageCarousel.module.css';
import { parsePageNumber } from './page-number';
import { usePicture } from './use-picture';

/** The small picture first, the large one when it has arrived. */
const SIZES = ['small', 'large'] as const;

interface Props {
  readonly report: Pick<ReportRepository, 'picture'>;
  readonly images: readonly ReportImage[];
  /** Shown first, from 1. */
  readonly startPage: number;
}

/** Images of a survey, one at a time, with an editable page number (3§2, 3§5). */
export function ImageCarousel({ report, images, startPage }: Props) {
  const [page, setPage] = useState(startPage);
  const [typed, setTyped] = useState(String(startPage));
  const image = images[page - 1] ?? images[0];
  const picture = usePicture(report, image, SIZES);
  const go = (to: number): void => {
    if (to < 1 || to > images.length) return;
    setPage(to);
    setTyped(String(to));
  };
  const enter = (): void => {
    const asked = parsePageNumber(typed, images.length);
    // Input that is not a page number changes nothing.
    if (asked === null) setTyped(String(page));
    else go(asked);
  };
  return (
    <section className={styles.carousel} aria-label="Images" aria-roledescription="carousel">
      <div className={styles.frame} data-status={picture.status}>
        {picture.status === 'shown' && (
          <img src={picture.url} alt={`Photograph ${page} of ${images.length}`} className={styles.picture} />
        )}
        {picture.status === 'reading' && <p role="status">Loading photograph {page}</p>}
        {picture.status === 'failed' && (
          <p role="status">
            <strong>Photograph {page} cannot be shown.</strong> {picture.message}
          </p>
        )}
      </div>
      <div className={styles.controls}>
        <Button icon="back" aria-label="Previous image" isDisabled={page <= 1} onPress={() => go(page - 1)} />
        <form
          className={styles.pages}
          onSubmit={(event) => {
            event.preventDefault();
            enter();
          }}
        >
          <input
            className={styles.page}
            aria-label={`Page, 1 to ${images.length}`}
            inputMode="numeric"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={enter}
          />
          <span>of {images.length.toLocaleString('en')}</span>
        </form>
        <Button icon="next" aria-label="Next image" isDisabled={page >= images.length} onPress={() => go(page + 1)} />
      </div>
      {image !== undefined && image.copyright !== null && <small className={styles.copyright}>{image.copyright}</small>}
    </section>
  );
}
