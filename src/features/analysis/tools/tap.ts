import type { Position } from '../../../domain/geobuf/geojson';
import { finishRing } from '../../../workers/finish-ring';
import type { FoundArea, OutlineFinder } from '../../../workers/outline.api';
import { placeIn } from './corners';
import type { Tool, ToolHost } from './tool';

export const TAP_WORDS = {
  nothing: 'Nothing hangs together there, and nothing was painted. Tap its middle, or use the pen.',
  everything: 'That is nearly the whole photograph: nothing was painted. Tap, hold, and pull left for less.',
  unready: 'The photograph is still being opened. Nothing was painted: tap again in a moment.',
  failed: 'The area could not be looked for. Nothing was painted; the pen works as before.',
} as const;

/** Pulling over a tenth of the picture's width takes so many levels more or fewer. */
const LEVELS_A_TENTH = 30;
/** A finger does not lie still: so far, normalised, is no pull. */
const STILL = 0.01;

/**
 * Fills what is under the finger. While it stays down the outline is shown: pulled right or up the area takes in what is less like
 * the place, pulled left or down it lets go of it. Lifting fills.
 */
export function createTap(host: ToolHost, finder: Pick<OutlineFinder, 'area'>): Tool {
  let place: Position | null = null;
  let by = 0;
  let found: FoundArea | null = null;
  let isLooking = false;
  /** It was lifted: what is found for the last pull is painted. */
  let isLifted = false;
  /** Another is another tap; what is found for one before is of no use. */
  let turn = 0;

  const giveUp = (): void => {
    turn++;
    [place, found, by, isLooking, isLifted] = [null, null, 0, false, false];
    host.show(null);
  };
  const show = (): void => {
    if (place === null) return;
    const rings = found?.state === 'found' ? found.rings : [];
    const largest = rings.reduce<Float64Array | null>(
      (most, ring) => (most === null || ring.length > most.length ? ring : most),
      null,
    );
    const line = largest === null ? [] : positions(largest);
    host.show({ line: line[0] === undefined ? [] : [...line, line[0]], corners: [place], isClosing: false });
  };
  const paint = (): void => {
    const what = found;
    giveUp();
    if (what === null || what.state === 'nothing') return host.say(TAP_WORDS.nothing);
    if (what.state === 'everything') return host.say(TAP_WORDS.everything);
    if (what.state === 'no-picture') return host.say(TAP_WORDS.unready);
    const rings = what.rings.map(finishRing).filter((ring) => ring !== null);
    if (rings.length === 0) host.say(TAP_WORDS.nothing);
    else host.finish({ kind: 'polygon', rings });
  };
  /** One search at a time; what was pulled meanwhile is looked for after it. */
  const look = async (at: Position): Promise<void> => {
    if (isLooking) return;
    const own = turn;
    isLooking = true;
    try {
      for (let sought = NaN; sought !== by;) {
        sought = by;
        const answer = await finder.area(at[0], at[1], sought);
        if (own !== turn) return;
        found = answer;
        show();
      }
      isLooking = false;
      if (isLifted) paint();
    } catch {
      if (own !== turn) return;
      giveUp();
      host.say(TAP_WORDS.failed);
    }
  };

  return {
    down(x, y) {
      const at = placeIn(x, y);
      if (at === null || isLifted) return;
      giveUp();
      place = at;
      show();
      void look(at);
    },
    move(points) {
      if (place === null || isLifted || points.length < 2) return;
      const [x, y] = [points[points.length - 2] ?? NaN, points[points.length - 1] ?? NaN];
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      const [right, up] = [x - place[0], place[1] - y];
      // Whichever way it was pulled farther.
      const pulled = Math.abs(right) >= Math.abs(up) ? right : up;
      by = Math.abs(pulled) < STILL ? 0 : Math.round(pulled * 10 * LEVELS_A_TENTH);
      void look(place);
    },
    up() {
      if (place === null) return;
      isLifted = true;
      if (!isLooking) paint();
    },
    cancel: giveUp,
    confirm() {
      this.up();
    },
    leave: giveUp,
    stepBack() {
      if (place === null) return false;
      giveUp();
      return true;
    },
  };
}

function positions(ring: Float64Array): readonly Position[] {
  const places: Position[] = [];
  for (let at = 0; at + 1 < ring.length; at += 2) places.push([ring[at] ?? 0, ring[at + 1] ?? 0]);
  return places;
}
