import { useEffect, useLayoutEffect, useRef } from 'react';
import { reportColours } from '../report/report-colours';
import type { MapInsets, MapView, ReportMapProps } from '../report/report-map-props';
import { paintFirstPicture, type PictureOfReefs } from './paint-first-picture';
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
  paint.current = () => {
    const element = canvas.current;
    const draw = element?.getContext('2d') ?? null;
    if (element === null || draw === null || picture === null) return;
    const size = { width: element.clientWidth, height: element.clientHeight };
    const ratio = devicePixelRatio;
    [element.width, element.height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    draw.scale(ratio, ratio);
    paintFirstPicture(draw, picture, { size, insets, bounds, startView, colours: reportColours() });
    onPainted();
  };
  useEffect(() => {
    const resized = new ResizeObserver(() => paint.current());
    if (canvas.current !== null) resized.observe(canvas.current);
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
