import type { PhotographView } from '../../../data/repositories';
import { cameraName, readingMs, type CameraClock, clockFor, zonedMs } from '../../../domain/survey/camera-clock';

/** A camera of a survey, by what its photographs say. */
export interface SurveyCamera {
  /** As `cameraName` says it; null for photographs that name none. */
  readonly name: string | null;
  /** The model as the camera writes it. */
  readonly model: string | null;
  /** Photographs with a reading of its clock. */
  readonly photographs: number;
  readonly clock: CameraClock | null;
  /** The latest of its photographs: what the camera said, and UTC in ms where it is known. */
  readonly sample: { readonly reading: string; readonly utcMs: number | null };
  /** It writes its zone, as phones do: nothing to correct. */
  readonly knowsZone: boolean;
  readonly jumps: readonly ClockJump[];
}

/** Where a camera's clock does not go on as it did: it was set, or its battery was changed. */
export interface ClockJump {
  /** The photographs before and after, by their numbers in the roll. */
  readonly from: number;
  readonly to: number;
  /** From reading to reading, ms; negative is back. */
  readonly byMs: number;
}

/** Back by more than this is no matter of two photographs in one burst. */
const JUMP_BACK_MS = 60_000;
/** Ahead by more than this is no dive. */
const JUMP_AHEAD_MS = 12 * 3_600_000;

/** The cameras of a survey, the one with the most photographs first; photographs without any reading count for none. */
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

/** By file name, as the camera counted them: the person's order says nothing of the clock. */
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

/** What stands before the camera's own count: files of another series say nothing of this one's order. */
function seriesName(name: string): string {
  return name.replace(/\d+\.[^.]*$/, '');
}
