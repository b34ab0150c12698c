import { useEffect, useRef, useState, type RefObject } from 'react';
import type { Outline } from '../../../domain/analysis/labelling/outline';
import type { ViewerHandle, ViewState } from '../../picture-viewer';
import { magnifiedArea, type MagnifiedArea } from './magnified-area';
import { outlineShape } from './outline-shape';
import styles from './Magnifier.module.css';

interface Props {
  readonly viewer: RefObject<ViewerHandle | null>;
  readonly view: ViewState;
  /** Active outline; null: none. */
  readonly outline: Outline | null;
}

const DENSITY_MAX = 2;

/** Circle that shows a small active outline larger, in the corner where the outline is not. */
export function Magnifier({ viewer, view, outline }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [shown, setShown] = useState<string | null>(null);
  const [isLeft, setLeft] = useState(false);
  const { width, height, scale } = view;
  useEffect(() => {
    let isOver = false;
    const element = canvas.current;
    const area = outline === null ? null : magnifiedArea(outline, { width, height }, scale);
    const draw = async (): Promise<void> => {
      if (element === null || outline === null || area === null) return setShown(null);
      // The label that chose this outline is painted first.
      await nextPaint();
      if (isOver) return;
      const side = Math.round(element.clientWidth * Math.min(devicePixelRatio, DENSITY_MAX));
      const picture = (await viewer.current?.crop(area, Math.max(1, side))) ?? null;
      if (picture === null) return;
      if (isOver) return picture.close();
      element.width = element.height = side;
      paint(element, picture, outline, area);
      picture.close();
      setLeft(isUnderCorner(element, viewer.current, outline));
      setShown(outline.id);
    };
    draw().catch((error: unknown) => {
      // The outline itself is on the picture; a movement tries again.
      console.warn('The magnifier could not be drawn:', error);
      if (!isOver) setShown(null);
    });
    return () => {
      isOver = true;
    };
  }, [viewer, outline, width, height, scale]);
  return (
    <canvas
      ref={canvas}
      className={`${styles.magnifier} ${isLeft ? styles.left : ''}`}
      aria-hidden="true"
      data-magnifies={shown ?? undefined}
    />
  );
}

const nextPaint = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

function paint(canvas: HTMLCanvasElement, picture: ImageBitmap, outline: Outline, area: MagnifiedArea): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const side = canvas.width;
  context.drawImage(picture, 0, 0, side, side);
  const path = new Path2D();
  path.addPath(new Path2D(outlineShape(outline).path), {
    a: side / area.width,
    d: side / area.height,
    e: (-area.left / area.width) * side,
    f: (-area.top / area.height) * side,
  });
  context.lineJoin = 'round';
  context.strokeStyle = '#02253b';
  context.lineWidth = side * 0.07;
  context.stroke(path);
  context.strokeStyle = '#ffeab6';
  context.lineWidth = side * 0.038;
  context.stroke(path);
}

/** True if the outline lies under the upper right corner, where the magnifier is by default. */
function isUnderCorner(element: HTMLElement, viewer: ViewerHandle | null, outline: Outline): boolean {
  const stage = element.offsetParent?.getBoundingClientRect();
  if (stage === undefined || viewer === null) return false;
  const { offsetTop: gap, offsetWidth: side } = element;
  const corners = [
    viewer.placeOf(stage.right - 2 * gap - side, stage.top),
    viewer.placeOf(stage.right, stage.top + 2 * gap + side),
  ];
  const { left, right, top, bottom } = outlineShape(outline);
  const across = (from: number, to: number, axis: 0 | 1): boolean => {
    const [one, two] = [corners[0]?.[axis] ?? 0, corners[1]?.[axis] ?? 0];
    return to > Math.min(one, two) && from < Math.max(one, two);
  };
  return across(left, right, 0) && across(top, bottom, 1);
}
