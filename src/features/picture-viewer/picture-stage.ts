import type { GestureAction } from './gestures';
import type { PictureSource } from './picture-source';
import type { View, ViewSizes } from './view';
import {
  fitScale,
  fitView,
  clampView,
  matrixOf,
  nextStep,
  panned,
  placeAt,
  resized,
  rotated,
  stepOf,
  zoomedAt,
} from './view';
import type { PenInput, ViewState, ZoomLimits } from './viewer.types';

interface StageElements {
  readonly stage: HTMLElement;
  readonly picture: HTMLCanvasElement;
  readonly marks: HTMLElement;
  readonly over: HTMLElement;
}

/** Maximum device px per CSS px; more costs memory without visible gain under water. */
const DENSITY_MAX = 2;

/** Shows a picture and its overlays in one frame, so that marks never lag behind. */
export class PictureStage {
  readonly #elements: StageElements;
  readonly #onView: (facts: ViewState) => void;
  #source: PictureSource | undefined;
  #view: View | undefined;
  #stageSize = { width: 0, height: 0, isTopAligned: false };
  readonly #zoomLimits: ZoomLimits | undefined;
  #frame = 0;
  #lastNotified: { readonly source: PictureSource | undefined; readonly facts: ViewState } | undefined;

  constructor(parts: StageElements, onView: (facts: ViewState) => void, zoomLimits?: ZoomLimits) {
    this.#elements = parts;
    this.#zoomLimits = zoomLimits;
    this.#onView = onView;
  }

  /** Replaces the rendering of the same picture; the view stays. */
  replace(source: PictureSource): void {
    this.#source = source;
    this.#layOut();
  }

  /** Shows another picture, or none; the caller closes the previous one. */
  show(source: PictureSource | undefined): void {
    this.#source = source;
    this.#view = undefined;
    this.#layOut();
  }

  /** Shows a picture without waiting for a frame, in the size that the stage has now. */
  showNow(source: PictureSource): void {
    const { width, height } = this.#elements.stage.getBoundingClientRect();
    this.show(source);
    this.resize(width, height);
    cancelAnimationFrame(this.#frame);
    this.#paint();
  }

  /** Resizes the stage, CSS px. */
  resize(width: number, height: number): void {
    const before = this.#sizes();
    // The layout decides (`--align: top`): it knows whether tools are under the picture.
    const isTopAligned = getComputedStyle(this.#elements.stage).getPropertyValue('--align').trim() === 'top';
    const known = this.#stageSize;
    if (known.width === width && known.height === height && known.isTopAligned === isTopAligned) return;
    this.#stageSize = { width, height, isTopAligned };
    const after = this.#sizes();
    if (this.#view !== undefined && before !== undefined && after !== undefined)
      this.#view = resized(this.#view, before, after);
    this.#layOut();
  }

  redraw(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#paint());
  }

  zoomAt(factor: number, x: number, y: number): void {
    this.#change((view, sizes) => zoomedAt(view, sizes, factor, x, y));
  }

  zoomBy(factor: number): void {
    this.zoomAt(factor, this.#stageSize.width / 2, this.#stageSize.height / 2);
  }

  /** @param around normalised place of the picture that stays where it is; by default the stage's middle */
  zoomTo(factor: number, around?: readonly [number, number]): void {
    this.#change((view, sizes) => {
      const by = (fitScale(sizes, view.turns) * factor) / view.scale;
      if (around === undefined) return zoomedAt(view, sizes, by, sizes.stageWidth / 2, sizes.stageHeight / 2);
      const [a, b, c, d, e, f] = matrixOf(view, sizes);
      const [x, y] = [around[0] * sizes.width, around[1] * sizes.height];
      return zoomedAt(view, sizes, by, a * x + c * y + e, b * x + d * y + f);
    });
  }

  panBy(x: number, y: number): void {
    this.#change((view, sizes) => panned(view, sizes, x, y));
  }

  nextZoomStep(): void {
    this.#change(nextStep);
  }

  fit(): void {
    this.#change((view, sizes) => fitView(sizes, view.turns));
  }

  rotate(): void {
    this.#change(rotated);
  }

  /** CSS px of the stage per px of the picture; 0 before there is one. */
  get scale(): number {
    return this.#view?.scale ?? 0;
  }

  get size(): { readonly width: number; readonly height: number } | undefined {
    return this.#source?.size;
  }

  /** Converts a place of the stage (CSS px) to the picture, normalised; NaN before there is one. */
  placeAt(x: number, y: number): [number, number] {
    const sizes = this.#sizes();
    return this.#view === undefined || sizes === undefined ? [NaN, NaN] : placeAt(this.#view, sizes, x, y);
  }

  /**
   * Draws picture and marks around a place of the stage, magnified, to fill a canvas.
   * @param x CSS px of the stage, as y and `span`, the side of what is shown
   * @param marks canvas of the marks; null: none
   */
  magnify(into: CanvasRenderingContext2D, x: number, y: number, span: number, marks: CanvasImageSource | null): void {
    const sizes = this.#sizes();
    const { width: side } = into.canvas;
    const { picture } = this.#elements;
    into.resetTransform();
    into.clearRect(0, 0, side, side);
    if (this.#view === undefined || sizes === undefined) return;
    const factor = side / span;
    into.setTransform(factor, 0, 0, factor, (span / 2 - x) * factor, (span / 2 - y) * factor);
    into.drawImage(picture, 0, 0, sizes.stageWidth, sizes.stageHeight);
    if (marks === null) return;
    into.transform(...matrixOf(this.#view, sizes));
    into.drawImage(marks, 0, 0, sizes.width, sizes.height);
  }

  applyGestures(actions: readonly GestureAction[], pen: PenInput): void {
    for (const action of actions) {
      switch (action.kind) {
        case 'down':
          if (this.#view !== undefined) pen.down(...this.placeAt(action.x, action.y));
          break;
        case 'draw': {
          if (this.#view === undefined) break;
          const points = new Float64Array(action.samples.length);
          for (let at = 0; at < points.length; at += 2)
            points.set(this.placeAt(action.samples[at] ?? NaN, action.samples[at + 1] ?? NaN), at);
          pen.move(points);
          break;
        }
        case 'up':
          pen.up();
          break;
        case 'cancel':
          pen.cancel();
          break;
        case 'tap':
          if (this.#view !== undefined) pen.tap?.(...this.placeAt(action.x, action.y));
          break;
        case 'pan':
          this.panBy(action.x, action.y);
          break;
        case 'pinch':
          this.#change((view, sizes) =>
            zoomedAt(panned(view, sizes, action.x, action.y), sizes, action.factor, action.atX, action.atY),
          );
      }
    }
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#source = undefined;
  }

  #sizes(): ViewSizes | undefined {
    const { width: stageWidth, height: stageHeight, isTopAligned } = this.#stageSize;
    if (this.#source === undefined || stageWidth === 0 || stageHeight === 0) return undefined;
    const { width, height } = this.#source.size;
    return { width, height, stageWidth, stageHeight, isTopAligned, zoomLimits: this.#zoomLimits };
  }

  #change(next: (view: View, sizes: ViewSizes) => View): void {
    const sizes = this.#sizes();
    if (this.#view === undefined || sizes === undefined) return;
    this.#view = clampView(next(this.#view, sizes), sizes);
    this.redraw();
  }

  #layOut(): void {
    const sizes = this.#sizes();
    if (sizes !== undefined) this.#view ??= fitView(sizes);
    this.redraw();
  }

  #paint(): void {
    this.#frame = 0;
    const { picture, marks, over } = this.#elements;
    const context = picture.getContext('2d');
    if (context === null) return;
    const density = Math.min(devicePixelRatio, DENSITY_MAX);
    const width = Math.max(1, Math.round(this.#stageSize.width * density));
    const height = Math.max(1, Math.round(this.#stageSize.height * density));
    if (picture.width !== width || picture.height !== height) {
      picture.width = width;
      picture.height = height;
    }
    context.resetTransform();
    context.clearRect(0, 0, width, height);
    const sizes = this.#sizes();
    const isThere = sizes !== undefined && this.#view !== undefined;
    marks.hidden = over.hidden = !isThere;
    if (sizes === undefined || this.#view === undefined || this.#source === undefined) return;
    const [a, b, c, d, x, y] = matrixOf(this.#view, sizes);
    context.setTransform(
      a * sizes.width * density,
      b * sizes.width * density,
      c * sizes.height * density,
      d * sizes.height * density,
      x * density,
      y * density,
    );
    context.imageSmoothingQuality = 'medium';
    this.#source.draw(context, this.#view.scale * sizes.width * density);
    // The compositor scales the marks; line art is laid out at final size, so that line widths stay constant.
    marks.style.width = `${sizes.width}px`;
    marks.style.height = `${sizes.height}px`;
    marks.style.transform = `matrix(${a}, ${b}, ${c}, ${d}, ${x}, ${y})`;
    const { scale, turns } = this.#view;
    over.style.width = `${sizes.width * scale}px`;
    over.style.height = `${sizes.height * scale}px`;
    over.style.transform = `matrix(${a / scale}, ${b / scale}, ${c / scale}, ${d / scale}, ${x}, ${y})`;
    this.#notifyView({
      scale,
      turns,
      step: stepOf(this.#view, sizes),
      zoom: scale / fitScale(sizes, turns),
      width: sizes.width,
      height: sizes.height,
      shownAt: this.#source.shownAt,
      reducedTo: this.#source.reducedTo,
    });
  }

  /** Notifies only of changes: listeners re-render, and panning changes none of these values. */
  #notifyView(facts: ViewState): void {
    const before = this.#lastNotified;
    if (
      before !== undefined &&
      before.source === this.#source &&
      (Object.keys(facts) as (keyof ViewState)[]).every((name) => before.facts[name] === facts[name])
    )
      return;
    this.#lastNotified = { source: this.#source, facts };
    this.#onView(facts);
  }
}
