import type { Position } from '../../../domain/geobuf/geojson';
import { finishRing } from '../../../workers/tracing/finish-ring';
import type { Reach } from './corners';
import { isNear, clampPosition } from './corners';
import type { Tool, ToolHost } from './tool';

/** Places strictly between two corners, in order; at once or later. */
export type LineBetween = (from: Position, to: Position) => readonly Position[] | Promise<readonly Position[]>;

const straightLine: LineBetween = () => [];

export const AREA_MESSAGES = {
  fewCorners: 'An area needs at least three corners. Set one more, or press Undo to remove the last one.',
  noArea: 'These corners are on one line and enclose nothing. Nothing was painted.',
} as const;

interface Corner {
  place: Position;
  line: readonly Position[];
}

/**
 * Polygon tool: a tap sets a corner, a finger that stays down moves it. A tap on the first corner, a second tap on the
 * last, or Enter fills the area; undo removes the last corner. Self-crossing outlines follow the even-odd rule, as in
 * the raster.
 * @param reach a finger's, at the current zoom
 * @param lineBetween line between corners; straight until it resolves
 */
export function createPolygonTool(host: ToolHost, reach: () => Reach, lineBetween: LineBetween = straightLine): Tool {
  let corners: Corner[] = [];
  let pointerState: 'up' | 'sets' | 'finishes' = 'up';
  let isFinishing = false;
  let closing: readonly Position[] = [];
  /** Latest search for the closing line; an older one shows nothing. */
  let closingSearch: symbol | null = null;
  const lines = new CornerLines(lineBetween, () => {
    if (isFinishing && lines.areComplete) fill();
    else show();
  });

  const show = (): void => {
    const first = corners[0];
    if (first === undefined) return host.showDraft(null);
    const last = corners.at(-1) ?? first;
    const isClosing =
      pointerState === 'finishes' ||
      (pointerState === 'sets' && corners.length > 3 && isNear(last.place, first.place, reach()));
    host.showDraft({
      line: corners.flatMap(({ line, place }) => [...line, place]),
      corners: corners.map(({ place }) => place),
      isClosing,
      closing,
    });
  };
  const hideClosing = (): void => {
    closing = [];
    closingSearch = null;
  };
  /** Shows the line that would close the area now, before anyone asks for it. */
  const previewClosing = (): void => {
    hideClosing();
    const [first] = corners;
    const last = corners.at(-1);
    if (first === undefined || last === undefined || corners.length < 3) return;
    const search = Symbol();
    closingSearch = search;
    const found = (inner: readonly Position[]): void => {
      if (closingSearch !== search) return;
      closing = [last.place, ...inner, first.place];
      show();
    };
    const line = lineBetween(last.place, first.place);
    if (line instanceof Promise) line.then(found, () => found([]));
    else found(line);
  };
  const reset = (): void => {
    corners = [];
    hideClosing();
    lines.reset();
    pointerState = 'up';
    isFinishing = false;
    show();
  };
  const fill = (): void => {
    const ring = finishRing(corners.flatMap(({ line, place }) => [...line, place].flat()));
    reset();
    if (ring === null) host.showMessage(AREA_MESSAGES.noArea);
    else host.finish({ kind: 'polygon', rings: [ring] });
  };
  const finish = (): void => {
    pointerState = 'up';
    const [first] = corners;
    const last = corners.at(-1);
    if (first === undefined || last === undefined) return;
    if (corners.length < 3) {
      host.showMessage(AREA_MESSAGES.fewCorners);
      return show();
    }
    hideClosing();
    // The closing line is requested like any other.
    const end: Corner = { place: first.place, line: [] };
    isFinishing = true;
    lines.request(last.place, end);
    // Repeats the first corner's place; simplification drops duplicates.
    corners = [...corners, end];
    if (lines.areComplete) fill();
    else show();
  };

  return {
    down(x, y) {
      const place = clampPosition(x, y);
      if (place === null || isFinishing || pointerState !== 'up') return;
      const [first] = corners;
      const last = corners.at(-1);
      if (
        first !== undefined &&
        last !== undefined &&
        corners.length >= 3 &&
        (isNear(place, first.place, reach()) || isNear(place, last.place, reach()))
      )
        pointerState = 'finishes';
      else {
        const corner: Corner = { place, line: [] };
        pointerState = 'sets';
        hideClosing();
        corners = [...corners, corner];
        if (last !== undefined) lines.request(last.place, corner);
      }
      show();
    },
    move(points) {
      const last = corners.at(-1);
      if (pointerState !== 'sets' || last === undefined || points.length < 2) return;
      const place = clampPosition(points[points.length - 2] ?? NaN, points[points.length - 1] ?? NaN);
      if (place === null) return;
      last.place = place;
      const from = corners.at(-2);
      if (from !== undefined) lines.request(from.place, last);
      show();
    },
    up() {
      if (pointerState === 'up') return;
      const [first] = corners;
      const last = corners.at(-1);
      const isBack =
        pointerState === 'sets' &&
        corners.length > 3 &&
        first !== undefined &&
        last !== undefined &&
        isNear(last.place, first.place, reach());
      // Dragged onto the first corner: close the area without a duplicate corner.
      if (isBack) corners = corners.slice(0, -1);
      if (isBack || pointerState === 'finishes') return finish();
      pointerState = 'up';
      previewClosing();
      show();
    },
    cancel() {
      if (pointerState === 'sets') corners = corners.slice(0, -1);
      pointerState = 'up';
      previewClosing();
      show();
    },
    confirm() {
      if (!isFinishing) finish();
    },
    discard: reset,
    undoStep() {
      if (corners.length === 0) return false;
      corners = corners.slice(0, -1);
      pointerState = 'up';
      isFinishing = false;
      previewClosing();
      show();
      return true;
    },
  };
}

/** Lines to corners, some of which arrive later. */
class CornerLines {
  readonly #between: LineBetween;
  readonly #onArrived: () => void;
  /** Latest request per corner; a newer one invalidates the older. */
  #requests = new WeakMap<Corner, symbol>();
  #open = 0;

  constructor(between: LineBetween, onArrived: () => void) {
    this.#between = between;
    this.#onArrived = onArrived;
  }

  get areComplete(): boolean {
    return this.#open === 0;
  }

  /** Drops all requests. */
  reset(): void {
    this.#requests = new WeakMap();
    this.#open = 0;
  }

  /** Sets the line to a corner, at once or later; outdated results are ignored. */
  request(from: Position, corner: Corner): void {
    const line = this.#between(from, corner.place);
    const request = Symbol();
    this.#requests.set(corner, request);
    if (!(line instanceof Promise)) {
      corner.line = line;
      return;
    }
    this.#open++;
    const within = this.#requests;
    const settled = (found: readonly Position[]): void => {
      if (within !== this.#requests) return;
      this.#open--;
      if (this.#requests.get(corner) === request) corner.line = found;
      this.#onArrived();
    };
    // A line that cannot be found is straight; the line finder already reported it.
    line.then(settled, () => settled([]));
  }
}
