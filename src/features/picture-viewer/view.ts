import { ANALYSIS_LIMITS } from '../../domain/limits';

/** Sizes: px of the upright picture at full size, and CSS px of the stage. */
export interface ViewSizes {
  readonly width: number;
  readonly height: number;
  readonly stageWidth: number;
  readonly stageHeight: number;
  /** True if a picture that is lower than the stage begins at its top. */
  readonly isTopAligned?: boolean;
  /** Limits of the zoom as factors of the fitting scale; by default those of tracing. */
  readonly zoomLimits?: { readonly min: number; readonly max: number } | undefined;
}

export interface View {
  /** CSS px per px of the picture. */
  readonly scale: number;
  /** Picture's middle on the stage, CSS px. */
  readonly x: number;
  readonly y: number;
  /** Quarter turns clockwise, 0 to 3. */
  readonly turns: number;
}

/** Zoom limits of fingers: a fraction of the fitting scale, and CSS px per px. */
const OUT_MAX = 0.5;
const PIXEL_MAX = 4;
/** Minimum part of the picture that stays visible, CSS px; a smaller picture stays whole. */
const VISIBLE_MIN = 96;

const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), Math.max(least, most));

function rotatedSize({ width, height }: Pick<ViewSizes, 'width' | 'height'>, turns: number): [number, number] {
  return turns % 2 === 0 ? [width, height] : [height, width];
}

/** Scale at which the whole picture just fits. */
export function fitScale(sizes: ViewSizes, turns: number): number {
  const [width, height] = rotatedSize(sizes, turns);
  return Math.min(sizes.stageWidth / width, sizes.stageHeight / height);
}

/**
 * Four zoom steps (2§9: "between 0.9 and about 3 times natural width, 4 steps"), with equal ratios. Natural size is the
 * fitting size, so the first step shows the whole picture with a rim on every screen.
 */
export function zoomSteps(sizes: ViewSizes, turns: number): readonly number[] {
  const { zoomMin, zoomMax, zoomSteps: count } = ANALYSIS_LIMITS;
  const fit = fitScale(sizes, turns);
  return Array.from({ length: count }, (_, step) => fit * zoomMin * (zoomMax / zoomMin) ** (step / (count - 1)));
}

/** Index of the step that a view is at; null between steps. */
export function stepOf(view: View, sizes: ViewSizes): number | null {
  const at = zoomSteps(sizes, view.turns).findIndex((scale) => Math.abs(view.scale / scale - 1) < 0.005);
  return at === -1 ? null : at;
}

export function fitView(sizes: ViewSizes, turns = 0): View {
  const scale = fitScale(sizes, turns);
  const [, height] = rotatedSize(sizes, turns);
  const y = sizes.isTopAligned === true ? (height * scale) / 2 : sizes.stageHeight / 2;
  return { scale, x: sizes.stageWidth / 2, y, turns };
}

export function clampView(view: View, sizes: ViewSizes): View {
  const fit = fitScale(sizes, view.turns);
  const { zoomLimits: limits } = sizes;
  const scale =
    limits === undefined
      ? clamp(view.scale, fit * OUT_MAX, Math.max(fit * ANALYSIS_LIMITS.zoomMax, PIXEL_MAX))
      : clamp(view.scale, fit * limits.min, fit * limits.max);
  const [width, height] = rotatedSize(sizes, view.turns);
  return {
    scale,
    turns: view.turns,
    x: clampMiddle(view.x, width * scale, sizes.stageWidth),
    y: clampMiddle(view.y, height * scale, sizes.stageHeight),
  };
}

function clampMiddle(middle: number, size: number, stage: number): number {
  // A fitting picture stays whole on the stage; of a larger one, a strip.
  const rim = size <= stage ? size : Math.min(VISIBLE_MIN, stage);
  return clamp(middle, rim - size / 2, stage - rim + size / 2);
}

export function zoomedAt(view: View, sizes: ViewSizes, factor: number, x: number, y: number): View {
  const scale = clampView({ ...view, scale: view.scale * factor }, sizes).scale;
  const actual = scale / view.scale;
  return clampView({ ...view, scale, x: x + (view.x - x) * actual, y: y + (view.y - y) * actual }, sizes);
}

export function panned(view: View, sizes: ViewSizes, x: number, y: number): View {
  return clampView({ ...view, x: view.x + x, y: view.y + y }, sizes);
}

/** Next of the four steps, around the stage's middle; the first follows the last. */
export function nextStep(view: View, sizes: ViewSizes): View {
  const steps = zoomSteps(sizes, view.turns);
  const next = steps.find((scale) => scale > view.scale * 1.005) ?? steps[0] ?? view.scale;
  return zoomedAt(view, sizes, next / view.scale, sizes.stageWidth / 2, sizes.stageHeight / 2);
}

export function rotated(view: View, sizes: ViewSizes): View {
  return fitView(sizes, (view.turns + 1) % 4);
}

/** View after a resize, with the same part of the picture in the middle; a fitting picture fits again. */
export function resized(view: View, before: ViewSizes, after: ViewSizes): View {
  const fitting = fitView(before, view.turns);
  if (view.scale === fitting.scale && view.x === fitting.x && view.y === fitting.y) return fitView(after, view.turns);
  const factor = fitScale(after, view.turns) / fitScale(before, view.turns);
  return clampView(
    {
      turns: view.turns,
      scale: view.scale * factor,
      x: after.stageWidth / 2 + (view.x - before.stageWidth / 2) * factor,
      y: after.stageHeight / 2 + (view.y - before.stageHeight / 2) * factor,
    },
    after,
  );
}

const COSINES = [1, 0, -1, 0] as const;
const SINES = [0, 1, 0, -1] as const;

/** Converts a place of the stage to the picture, normalised; below 0 or above 1 outside of it. */
export function placeAt(view: View, sizes: ViewSizes, x: number, y: number): [number, number] {
  const cos = COSINES[view.turns] ?? 1;
  const sin = SINES[view.turns] ?? 0;
  const dx = (x - view.x) / view.scale;
  const dy = (y - view.y) / view.scale;
  return [0.5 + (dx * cos + dy * sin) / sizes.width, 0.5 + (dy * cos - dx * sin) / sizes.height];
}

/** Matrix (as in CSS and canvas) from px of the picture to CSS px of the stage. */
export function matrixOf(view: View, sizes: ViewSizes): readonly [number, number, number, number, number, number] {
  const a = (COSINES[view.turns] ?? 1) * view.scale;
  const b = (SINES[view.turns] ?? 0) * view.scale;
  return [
    a,
    b,
    -b,
    a,
    view.x - (a * sizes.width - b * sizes.height) / 2,
    view.y - (b * sizes.width + a * sizes.height) / 2,
  ];
}
