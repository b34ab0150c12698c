import type { Position } from '../../../domain/geobuf/geojson';
import { finishRing } from '../../../workers/tracing/finish-ring';
import type { FoundArea, OutlineFinder } from '../../../workers/outline/outline.api';
import { clampPosition } from './corners';
import type { Tool, ToolHost } from './tool';

export const TAP_MESSAGES = {
  nothing: 'No area was found there. Nothing was painted. Tap its middle, or use the pen.',
  everything: 'That is nearly the whole photograph. Nothing was painted. Tap, hold and drag left for less.',
  unready: 'The photograph is still opening. Nothing was painted. Tap again in a moment.',
  failed: 'The search for the area failed. Nothing was painted. The pen works as before.',
} as const;

const LEVELS_PER_TENTH = 30;
/** Movement below this is not a pull: fingers are never still. Normalised. */
const DRAG_MIN = 0.01;

/**
 * Tap tool: fills the region under the finger. While it is down the outline is shown: a pull right or up includes more,
 * left or down less. Lifting fills.
 */
export function createTapTool(host: ToolHost, finder: Pick<OutlineFinder, 'area'>): Tool {
  let place: Position | null = null;
  let levelOffset = 0;
  let found: FoundArea | null = null;
  let isSearching = false;
  /** True after the finger was lifted: the result of the last pull is painted. */
  let isLifted = false;
  /** Id of the current tap; results of earlier taps are ignored. */
  let searchId = 0;

  const reset = (): void => {
    searchId++;
    [place, found, levelOffset, isSearching, isLifted] = [null, null, 0, false, false];
    host.showDraft(null);
  };
  const show = (): void => {
    if (place === null) return;
    const rings = found?.state === 'found' ? found.rings : [];
    const largest = rings.reduce<Float64Array | null>(
      (most, ring) => (most === null || ring.length > most.length ? ring : most),
      null,
    );
    const line = largest === null ? [] : toPositions(largest);
    host.showDraft({
      line: line[0] === undefined ? [] : [...line, line[0]],
      corners: [place],
      isClosing: false,
      closing: [],
    });
  };
  const paint = (): void => {
    const area = found;
    reset();
    if (area === null || area.state === 'nothing') return host.showMessage(TAP_MESSAGES.nothing);
    if (area.state === 'everything') return host.showMessage(TAP_MESSAGES.everything);
    if (area.state === 'no-picture') return host.showMessage(TAP_MESSAGES.unready);
    const rings = area.rings.map(finishRing).filter((ring) => ring !== null);
    if (rings.length === 0) host.showMessage(TAP_MESSAGES.nothing);
    else host.finish({ kind: 'polygon', rings });
  };
  /** Runs one search at a time; a later pull is searched afterwards. */
  const search = async (at: Position): Promise<void> => {
    if (isSearching) return;
    const ownSearch = searchId;
    isSearching = true;
    try {
      for (let sought = NaN; sought !== levelOffset;) {
        sought = levelOffset;
        const answer = await finder.area(at[0], at[1], sought);
        if (ownSearch !== searchId) return;
        found = answer;
        show();
      }
      isSearching = false;
      if (isLifted) paint();
    } catch {
      if (ownSearch !== searchId) return;
      reset();
      host.showMessage(TAP_MESSAGES.failed);
    }
  };

  return {
    down(x, y) {
      const at = clampPosition(x, y);
      if (at === null || isLifted) return;
      reset();
      place = at;
      show();
      void search(at);
    },
    move(points) {
      if (place === null || isLifted || points.length < 2) return;
      const [x, y] = [points[points.length - 2] ?? NaN, points[points.length - 1] ?? NaN];
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      const [right, up] = [x - place[0], place[1] - y];
      // Direction of the larger movement.
      const pulled = Math.abs(right) >= Math.abs(up) ? right : up;
      levelOffset = Math.abs(pulled) < DRAG_MIN ? 0 : Math.round(pulled * 10 * LEVELS_PER_TENTH);
      void search(place);
    },
    up() {
      if (place === null) return;
      isLifted = true;
      if (!isSearching) paint();
    },
    cancel: reset,
    confirm() {
      this.up();
    },
    discard: reset,
    undoStep() {
      if (place === null) return false;
      reset();
      return true;
    },
  };
}

function toPositions(ring: Float64Array): readonly Position[] {
  const places: Position[] = [];
  for (let at = 0; at + 1 < ring.length; at += 2) places.push([ring[at] ?? 0, ring[at + 1] ?? 0]);
  return places;
}
