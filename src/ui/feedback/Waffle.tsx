import { useEffect, useRef } from 'react';
import { watchTheme } from '../tokens/deck';
import { WAFFLE_CELL, WIDE_WAFFLE_PX, waffleLayout, type WaffleLayout } from './waffle-layout';
import styles from './Waffle.module.css';

interface Props {
  /** Summary as text: `342 on the box, 3 on their way, 155 on this tablet only`. */
  readonly label: string;
  readonly cells: Uint8Array;
  /** Cells per row; default 50, on a narrow container 25. */
  readonly perRow?: number;
}

/** 500 photographs in one glance; a single held one is visible. */
export function Waffle({ label, cells, perRow }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const show = () => paint(element, cells, perRow);
    // Changing the height within the observer's callback would be a resize loop error.
    const sizes = new ResizeObserver(() => requestAnimationFrame(show));
    sizes.observe(element.parentElement ?? element);
    const stopWatchingTheme = watchTheme(show);
    show();
    return () => {
      sizes.disconnect();
      stopWatchingTheme();
    };
  }, [cells, perRow]);
  return (
    <div>
      <canvas ref={canvas} className={styles.waffle} role="img" aria-label={label} />
    </div>
  );
}

function paint(canvas: HTMLCanvasElement, cells: Uint8Array, perRow: number | undefined): void {
  const width = canvas.parentElement?.clientWidth ?? 0;
  const brush = canvas.getContext('2d');
  if (width === 0 || brush === null) return;
  const layout = waffleLayout(cells.length, width, perRow ?? (width < WIDE_WAFFLE_PX ? 25 : 50));
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round((layout.height + 2) * scale);
  canvas.style.height = `${layout.height + 2}px`;
  brush.setTransform(scale, 0, 0, scale, 0, 1);
  const style = getComputedStyle(canvas);
  const ink = (token: string) => style.getPropertyValue(token).trim();
  const inks = {
    open: ink('--surface'),
    full: ink('--accent'),
    look: ink('--alert'),
    faint: ink('--line-strong'),
    strong: ink('--text'),
    cross: ink('--on-alert'),
  };
  cells.forEach((code, index) => paintCell(brush, layout, index, code, inks));
}

interface Inks {
  readonly open: string;
  readonly full: string;
  readonly look: string;
  readonly faint: string;
  readonly strong: string;
  readonly cross: string;
}

function paintCell(
  brush: CanvasRenderingContext2D,
  { perRow, pitch, cell: side }: WaffleLayout,
  index: number,
  code: number,
  inks: Inks,
): void {
  const line = side > 8 ? 1.5 : 1;
  const x = (index % perRow) * pitch + line / 2;
  const y = Math.floor(index / perRow) * pitch + line / 2;
  const inner = side - line;
  brush.beginPath();
  brush.roundRect(x, y, inner, inner, side > 8 ? 2 : 1);
  brush.fillStyle = code === WAFFLE_CELL.safe ? inks.full : code === WAFFLE_CELL.look ? inks.look : inks.open;
  brush.fill();
  if (code === WAFFLE_CELL.going) {
    brush.fillStyle = inks.full;
    brush.fillRect(x, y + inner / 2, inner, inner / 2);
  }
  brush.strokeStyle = code === WAFFLE_CELL.here ? inks.faint : inks.strong;
  brush.lineWidth = line;
  brush.stroke();
  if (code === WAFFLE_CELL.look && side > 6) {
    brush.beginPath();
    brush.moveTo(x + inner * 0.25, y + inner * 0.25);
    brush.lineTo(x + inner * 0.75, y + inner * 0.75);
    brush.moveTo(x + inner * 0.75, y + inner * 0.25);
    brush.lineTo(x + inner * 0.25, y + inner * 0.75);
    brush.strokeStyle = inks.cross;
    brush.stroke();
  }
}
