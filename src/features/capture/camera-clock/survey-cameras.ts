import type { PhotographView } from '../../../data/repositories';
import { cameraName, readingMs, type CameraClock, clockFor, zonedMs } from '../../../domain/survey/camera-clock';

export interface SurveyCamera {
  /** Name from `cameraName`; null if absent. */
  readonly name: string | null;
  readonly model: string | null;
  readonly photographs: number;
  readonly clock: CameraClock | null;
  /** Latest photograph: reading, and UTC in ms if known. */
  readonly sample: { readonly reading: string; readonly utcMs: number | null };
  /** Zone in its readings, as phones have: nothing to correct. */
  readonly knowsZone: boolean;
  readonly jumps: readonly ClockJump[];
}

/** Jump of a camera's clock: set, or battery changed. */
interface ClockJump {
  /** Numbers in the roll. */
  readonly from: number;
  readonly to: number;
  /** Difference between the readings, ms; negative is back. */
  readonly byMs: number;
}

/** More is not one burst. */
const JUMP_BACK_MS = 60_000;
/** More is not one dive. */
const JUMP_AHEAD_MS = 12 * 3_600_000;

/** Cameras by number of photographs; those without a reading are left out. */
export function surveyCameras(
  photographs: readonly PhotographView[],
  clocks: readonly CameraClock[],
): readonly SurveyCamera[] {
  const byName = new Map<
    string | null,
    { readonly number: number; readonly photograph: PhotographView; readonly said: string }[]
  >();
  photographs.forEach((photograph, i) => {
    const said = photograph.taken.camera;
    if (said === null || readingMs(said) === null) return;
    const name = cameraName(photograph.camera);
    const list = byName.get(name) ?? [];
    list.push({ number: i + 1, photograph, said });
    byName.set(name, list);
  });
  return [...byName]
    .map(([name, list]): SurveyCamera => {
      const last = list.at(-1);
      const utc = last?.photograph.taken.utc ?? null;
      return {
        name,
        model: last?.photograph.camera?.model?.trim() ?? null,
        photographs: list.length,
        clock: clockFor(clocks, name),
        sample: { reading: last?.said ?? '', utcMs: utc === null ? null : Date.parse(utc) },
        knowsZone: list.every(({ said }) => zonedMs(said) !== null),
        jumps: jumpsOf(list),
      };
    })
    .sort((a, b) => b.photographs - a.photographs);
}

/** By file name, the camera's own count; the roll order is the person's. */
function jumpsOf(
  list: readonly { readonly number: number; readonly photograph: PhotographView; readonly said: string }[],
): ClockJump[] {
  const counted = [...list].sort((a, b) => compareByCount(a.photograph.name, b.photograph.name));
  const jumps: ClockJump[] = [];
  for (let i = 1; i < counted.length; i++) {
    const [before, after] = [counted[i - 1], counted[i]];
    if (
      before === undefined ||
      after === undefined ||
      seriesName(before.photograph.name) !== seriesName(after.photograph.name)
    )
      continue;
    const byMs = (readingMs(after.said) ?? 0) - (readingMs(before.said) ?? 0);
    if (byMs < -JUMP_BACK_MS || byMs > JUMP_AHEAD_MS) jumps.push({ from: before.number, to: after.number, byMs });
  }
  return jumps;
}

const naturalOrder = new Intl.Collator('en', { numeric: true });

function compareByCount(a: string, b: string): number {
  return naturalOrder.compare(a, b);
}

/** Name before the count: other series are not comparable. */
function seriesName(name: string): string {
  return name.replace(/\d+\.[^.]*$/, '');
}
