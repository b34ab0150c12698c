import type { PictureStage } from './picture-stage';

/** Side of the loupe, CSS px, and what it shows of the stage: twice as large. */
const SIDE = 120;
const SPAN = SIDE / 2;
/** Distance of the loupe from the finger, CSS px. */
const GAP = 36;
const DENSITY_MAX = 2;

interface LoupeParts {
  readonly canvas: HTMLCanvasElement;
  readonly stage: PictureStage;
  readonly marks: () => CanvasImageSource | null;
  /** Pen's width, CSS px of the stage. */
  readonly penWidth: () => number;
}

/** Circle above the finger that shows what the finger covers. */
export class Loupe {
  readonly #parts: LoupeParts;
  #at: readonly [number, number] | null = null;
  #frame = 0;

  constructor(parts: LoupeParts) {
    this.#parts = parts;
  }

  /** Shows the place, CSS px of the stage. */
  show(x: number, y: number): void {
    this.#at = [x, y];
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#paint());
  }

  hide(): void {
    this.#at = null;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#parts.canvas.style.visibility = 'hidden';
  }

  #paint(): void {
    this.#frame = 0;
    const { canvas, stage, marks, penWidth } = this.#parts;
    const context = canvas.getContext('2d');
    if (this.#at === null || context === null) return;
    const [x, y] = this.#at;
    const side = SIDE * Math.min(devicePixelRatio, DENSITY_MAX);
    if (canvas.width !== side) canvas.width = canvas.height = side;
    stage.magnify(context, x, y, SPAN, marks());
    context.resetTransform();
    context.beginPath();
    context.arc(side / 2, side / 2, Math.max(2, (penWidth() * side) / SPAN / 2), 0, 2 * Math.PI);
    context.lineWidth = side / 60;
    context.strokeStyle = '#02253b';
    context.stroke();
    context.lineWidth = side / 120;
    context.strokeStyle = '#ffffff';
    context.stroke();
    const [left, top] = loupePlace(x, y);
    canvas.style.transform = `translate(${left}px, ${top}px)`;
    canvas.style.visibility = 'visible';
    // Marks arrive from the worker after the finger.
    this.#frame = requestAnimationFrame(() => this.#paint());
  }
}

/** Upper left corner of the loupe: above the finger, or beside it where there is no room above. */
export function loupePlace(x: number, y: number): readonly [number, number] {
  if (y >= SIDE + GAP) return [Math.max(0, x - SIDE / 2), y - SIDE - GAP];
  return [x >= SIDE + GAP ? x - SIDE - GAP : x + GAP, 0];
}
