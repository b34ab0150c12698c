import type { Seeded } from '../../support/seed';
import type { DiskHistory, DiskOp } from './disk-history';
import type { Fate } from './power-cut-disk';
import { DROPPED, KEPT, pendingAt, sectorsOf } from './power-cut-disk';
import { streamOf } from './random';

/** Disk to rebuild: the event after which the power failed, and the fate of each pending change. */
export interface CrashState {
  readonly number: number;
  /** Extreme of its cut, or a seeded mixture. */
  readonly kind: 'extreme' | 'mixture';
  readonly event: number;
  readonly fates: ReadonlyMap<number, Fate>;
  readonly pending: readonly DiskOp[];
}

/**
 * Limit of pending changes that are dropped and kept one by one at each cut: of more, the newest and a seeded sample of
 * the others.
 */
const ONE_BY_ONE = 16;
const NEWEST = 8;
/** Neighbouring cuts share their older changes, so a few per cut cover all of them. */
const OLDER = 3;

/**
 * Extremes of a cut: nothing pending kept, everything kept, each change alone dropped, each alone kept, each write
 * alone torn with all others present and with none. Then, for every further `round`, one seeded mixture. Numbers run on
 * over all cuts, so `seed` and `number` identify a state permanently.
 */
export function* crashStates(
  history: DiskHistory,
  seed: number,
  mine: (cut: number) => boolean = () => true,
): Generator<CrashState> {
  let number = 0;
  for (const [place, event] of history.cuts.entries()) {
    const pending = pendingAt(history, event);
    for (const extreme of extremes(pending, streamOf(seed, place, 1))) {
      number++;
      if (mine(place)) yield { number, kind: 'extreme', event, fates: fatesOf(pending, extreme), pending };
    }
  }
  const open = history.cuts.some((event, place) => mine(place) && pendingAt(history, event).length > 0);
  for (let round = 0; open; round++) {
    for (const [place, event] of history.cuts.entries()) {
      number++;
      if (!mine(place)) continue;
      const pending = pendingAt(history, event);
      if (pending.length > 0)
        yield { number, kind: 'mixture', event, fates: mixture(pending, streamOf(seed, place, 2, round)), pending };
    }
  }
}

/** State of a seed and a number. @throws RangeError for a number that the plan does not have */
export function crashState(history: DiskHistory, seed: number, number: number): CrashState {
  for (const state of crashStates(history, seed)) {
    if (state.number === number) return state;
    if (state.number > number) break;
  }
  throw new RangeError(`The plan has no state ${number}.`);
}

/** Fate of all pending changes except one; kept short, as skipped states need none. */
interface Extreme {
  readonly all: Fate;
  readonly except?: { readonly op: DiskOp; readonly its: Fate };
}

function fatesOf(pending: readonly DiskOp[], { all, except }: Extreme): ReadonlyMap<number, Fate> {
  const fates = new Map(pending.map((op) => [op.index, all]));
  if (except !== undefined) fates.set(except.op.index, except.its);
  return fates;
}

function* extremes(pending: readonly DiskOp[], random: Seeded): Generator<Extreme> {
  const all = (fate: Fate, op: DiskOp, its: Fate): Extreme => ({ all: fate, except: { op, its } });
  yield { all: DROPPED };
  if (pending.length === 0) return;
  yield { all: KEPT };
  // The newest are what the running step depends on; of the older, which may stay pending, a sample.
  const newest = pending.slice(-NEWEST);
  const older = pending.slice(0, -NEWEST);
  const chosen =
    pending.length <= ONE_BY_ONE ? pending : [...newest, ...Array.from({ length: OLDER }, () => random.pick(older))];
  for (const op of chosen) {
    if (pending.length > 1) {
      yield all(KEPT, op, DROPPED);
      yield all(DROPPED, op, KEPT);
    }
    if (op.change.type === 'write') {
      yield all(KEPT, op, torn(op, random));
      yield all(DROPPED, op, torn(op, random));
    }
  }
}

function mixture(pending: readonly DiskOp[], random: Seeded): ReadonlyMap<number, Fate> {
  const keep = random.pick([0.1, 0.5, 0.9]);
  const tear = random.pick([0.1, 0.4, 0.8]);
  return new Map(
    pending.map((op) => {
      if (op.change.type === 'write' && random.fraction() < tear) return [op.index, torn(op, random)];
      return [op.index, random.fraction() < keep ? KEPT : DROPPED];
    }),
  );
}

function torn(op: DiskOp, random: Seeded): Fate {
  if (op.change.type !== 'write') return KEPT;
  const sector = random.fraction() < 0.5 ? 512 : 4096;
  const count = sectorsOf(op.change, sector);
  const kept = Array.from({ length: count }, () => true);
  const shape = random.below(4);
  if (count === 1) {
    // One sector is present or not; only the file's size can still differ from its bytes.
    kept[0] = false;
  } else if (shape === 0) kept.fill(false, 1 + random.below(count - 1));
  else if (shape === 1) kept.fill(false, 0, 1 + random.below(count - 1));
  else if (shape === 2) kept[random.below(count)] = false;
  else {
    const share = random.pick([0.2, 0.5, 0.8]);
    for (let at = 0; at < count; at++) kept[at] = random.fraction() < share;
  }
  return {
    kind: 'torn',
    sector,
    kept,
    size: random.fraction() < 0.7 ? 'whole' : 'kept',
    gaps: random.fraction() < 0.5 ? 'zeros' : 'garbage',
  };
}
