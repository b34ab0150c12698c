import { useEffect, useLayoutEffect, useRef } from 'react';
import type { MapInsets, MapView, ReportMapProps } from '../report/report-map-props';
import { paintCanvas } from './paint-canvas';
import type { PictureOfReefs } from './paint-first-picture';
import styles from './FirstPicture.module.css';

interface Props {
  /** Result of `useFirstPicture`. */
  readonly picture: PictureOfReefs | null;
  readonly bounds: ReportMapProps['region']['mapBounds'];
  readonly insets: MapInsets;
  readonly startView: MapView | null;
  readonly onPainted: () => void;
}

/**
 * Reefs and covers before the map and any database are open: is below `ReportMap`, which covers it once it is drawn.
 * The list has the same reefs in words.
 */
export function FirstPicture({ picture, bounds, insets, startView, onPainted }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const paint = useRef(() => undefined as void);
  const painted = useRef('');
  paint.current = () => {
    const element = canvas.current;
    if (element === null || picture === null) return;
    if (!paintCanvas(element, picture, { bounds, insets, startView })) return;
    painted.current = sizeText(element);
    onPainted();
  };
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const resized = new ResizeObserver(() => {
      // It also reports the size that is painted already.
      if (sizeText(element) !== painted.current) paint.current();
    });
    resized.observe(element);
    const themes = new MutationObserver(() => paint.current());
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      themes.disconnect();
    };
  }, []);
  useLayoutEffect(() => paint.current(), [picture, bounds, insets, startView]);
  return <canvas ref={canvas} className={styles.picture} aria-hidden="true" />;
}

const sizeText = (element: HTMLElement): string => `${element.clientWidth}x${element.clientHeight}`;
