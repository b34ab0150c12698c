import { useEffect, useRef } from 'react';
import { categoryClass } from '../../../domain/analysis/free-draw/categories';
import { colourOf } from '../../../domain/analysis/free-draw/colours';
import { Button } from '../../../ui/controls/Button';
import { Icon } from '../../../ui/display/Icon';
import styles from './feedback.module.css';
import { feedback } from './learning-text';
import type { Comparison, Course } from './use-course';

const VERDICT_ICONS = { met: 'check', over: 'eraser', under: 'pen', elsewhere: 'pin' } as const;

/** Result of a check: a line for each type and, once all is right, the painting beside the truth. */
export function MatchFeedback({ course }: { readonly course: Course }) {
  const { demo, match, checks, answered, picture, comparison } = course;
  const lines = demo === null || match === null ? [] : feedback(match, demo);
  const announced = useRef({ answered: 0, words: '' });
  // Announced per check, not while painting.
  if (announced.current.answered !== answered)
    announced.current = { answered, words: lines.map(({ text }) => text).join(' ') };
  return (
    <>
      <p role="status" className={styles.unseen}>
        {checks > 0 ? announced.current.words : ''}
      </p>
      {picture === 'making' && <p className={styles.note}>Preparing the picture. This takes a few seconds.</p>}
      {picture === 'failed' && (
        <div className={styles.note}>
          <p>The picture could not be made on this tablet. What you completed is safe.</p>
          <Button variant="line" onPress={course.retry}>
            Try again
          </Button>
        </div>
      )}
      {course.hasCheckFailed && (
        <p className={styles.note} role="alert">
          The picture could not be checked. What you painted is still here. Check again.
        </p>
      )}
      {match?.isMet === true && comparison !== null && (
        <div className={styles.beside}>
          <Celebration />
          <ComparedPicture comparison={comparison} shows="painting" caption="Yours" />
          <ComparedPicture comparison={comparison} shows="truth" caption="Its true cover" />
        </div>
      )}
      {lines.length > 0 && (
        <ul className={styles.lines} aria-label="What you painted">
          {lines.map(({ verdict, text }) => (
            <li key={text} data-verdict={verdict}>
              <Icon name={VERDICT_ICONS[verdict]} />
              <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const COMPARED = { width: 320, height: 240 } as const;
/** Opacity of the true areas, as of the marks. */
const OPACITY = 0.58;

function ComparedPicture({
  comparison: { blob, outlines, marks },
  shows,
  caption,
}: {
  readonly comparison: Comparison;
  readonly shows: 'painting' | 'truth';
  readonly caption: string;
}) {
  const at = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isGone = false;
    createImageBitmap(blob).then(
      (bitmap) => {
        const context = at.current?.getContext('2d') ?? null;
        if (!isGone && context !== null) {
          const { width, height } = COMPARED;
          context.drawImage(bitmap, 0, 0, width, height);
          const painted = shows === 'painting' ? marks() : null;
          if (painted !== null) context.drawImage(painted, 0, 0, width, height);
          if (shows === 'truth') drawAreas(context, outlines);
        }
        bitmap.close();
      },
      (error: unknown) => console.warn('A practice picture could not be shown beside its truth:', error),
    );
    return () => {
      isGone = true;
    };
  }, [blob, outlines, marks, shows]);
  return (
    <figure className={styles.compared}>
      <canvas ref={at} {...COMPARED} role="img" aria-label={caption} />
      <figcaption aria-hidden="true">{caption}</figcaption>
    </figure>
  );
}

function drawAreas(context: CanvasRenderingContext2D, outlines: Comparison['outlines']): void {
  context.globalAlpha = OPACITY;
  context.scale(COMPARED.width, COMPARED.height);
  for (const [type, path] of Object.entries(outlines)) {
    const found = categoryClass(type);
    if (found === undefined) continue;
    context.fillStyle = colourOf(found);
    context.fill(new Path2D(path), 'evenodd');
  }
  context.resetTransform();
  context.globalAlpha = 1;
}

/** Bubbles that rise once; none for a person who asked for less motion. */
export function Celebration() {
  return (
    <span className={styles.bubbles} aria-hidden="true">
      {BUBBLES.map((index) => (
        <i key={index} />
      ))}
    </span>
  );
}

const BUBBLES = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
