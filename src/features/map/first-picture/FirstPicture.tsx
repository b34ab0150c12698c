import { useEffect, useRef } from 'react';
import { reportColours } from '../report/report-colours';
import type { MapInsets, MapView, ReportMapProps } from '../report/report-map-props';
import { paintFirstPicture, type PictureOfReefs } from './paint-first-picture';
import { readFirstPicture } from './read-first-picture';
import styles from './FirstPicture.module.css';

interface Props {
  /** Address of `/cdn/map/<region>/first.json`. */
  readonly url: string;
  /** Decodes the parsed file (`decodeFirstPicture` of `src/domain/results`). Must not change. @throws for a broken one */
  readonly decode: (json: unknown) => PictureOfReefs;
  readonly bounds: ReportMapProps['region']['mapBounds'];
  readonly insets: MapInsets;
  readonly startView: MapView | null;
}

/**
 * Reefs and covers before the map and any database are open: lies below `ReportMap`, which covers it once it is drawn.
 * The list has the same reefs in words.
 */
export function FirstPicture({ url, decode, bounds, insets, startView }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = useRef<PictureOfReefs | null>(null);
  const paint = useRef(() => undefined as void);
  paint.current = () => {
    const element = canvas.current;
    const draw = element?.getContext('2d') ?? null;
    if (element === null || draw === null || picture.current === null) return;
    const size = { width: element.clientWidth, height: element.clientHeight };
    const ratio = devicePixelRatio;
    [element.width, element.height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    draw.scale(ratio, ratio);
    paintFirstPicture(draw, picture.current, { size, insets, bounds, startView, colours: reportColours() });
    performance.mark('first-picture');
  };
  useEffect(() => {
    let isCurrent = true;
    void readFirstPicture(url, (json) => {
      const decoded = decode(json);
      if (!isCurrent) return;
      picture.current = decoded;
      paint.current();
    });
    const resized = new ResizeObserver(() => paint.current());
    if (canvas.current !== null) resized.observe(canvas.current);
    const themes = new MutationObserver(() => paint.current());
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      isCurrent = false;
      resized.disconnect();
      themes.disconnect();
    };
  }, [url, decode]);
  useEffect(() => paint.current(), [bounds, insets, startView]);
  return <canvas ref={canvas} className={styles.picture} aria-hidden="true" />;
}
