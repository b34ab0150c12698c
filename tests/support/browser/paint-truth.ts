import type { Page } from 'playwright';
import { DEMO_SIZE, demoById } from '../../../src/domain/analysis/free-draw/demos';
import { REEF_CLASSES } from '../../../src/imaging/reef-renderer/reef-classes';
import { CATEGORY_OF, sceneOfDemo } from '../../../src/imaging/reef-renderer/render-demo';
import { buildReef } from '../../../src/imaging/reef-renderer/render-reef';
import { MouseDriver, placesBetween } from './mouse-driver';

const { width, height } = DEMO_SIZE;
/** Distance between rows, px of the picture: slightly less than the pen's width. */
const ROW = 13;
/** Length below which a run is within the pen's own roundness, px. */
const RUN_MIN = 8;
/** Length cut from both ends of a run, px: the pen is round and reaches beyond. */
const CUT = 6;

/** Greatest distance between row ends that are painted in one stroke, px. */
const NEAR = 60;

type Run = readonly [y: number, from: number, to: number];

/** Labels of each demo's picture that was painted on. */
const labels = new Map<string, Uint8Array>();

function labelsOf(id: string): Uint8Array {
  const demo = demoById(id);
  if (demo === undefined) throw new Error(`There is no demo ${id}`);
  const known = labels.get(id) ?? buildReef(sceneOfDemo(demo.scene)).label;
  labels.set(id, known);
  return known;
}

/** True area of a type on a demo, by rows of the pen. */
function runsOf(id: string, type: string): readonly Run[] {
  const label = labelsOf(id);
  const is = REEF_CLASSES.map(({ letter }) => CATEGORY_OF[letter] === type);
  const runs: Run[] = [];
  for (let y = ROW >> 1; y < height; y += ROW) {
    for (let x = 0; x < width; x++) {
      const from = x;
      while (x < width && is[label[y * width + x] ?? 0] === true) x++;
      if (x - from >= RUN_MIN) runs.push([y, Math.min(from + CUT, (from + x) / 2), Math.max(x - CUT, (from + x) / 2)]);
    }
  }
  return runs;
}

/** Strokes from runs of rows below each other, to and fro, as a hand paints. */
function strokesOf(runs: readonly Run[]): readonly (readonly (readonly [number, number])[])[] {
  const left = new Set(runs);
  const strokes: (readonly [number, number])[][] = [];
  for (const first of runs) {
    if (!left.delete(first)) continue;
    const stroke: (readonly [number, number])[] = [
      [first[1], first[0]],
      [first[2], first[0]],
    ];
    for (let y = first[0]; ; y += ROW) {
      const [x] = stroke.at(-1)!;
      const below = [...left].find(
        ([row, from, to]) => row === y + ROW && Math.min(Math.abs(from - x), Math.abs(to - x)) < NEAR,
      );
      if (below === undefined) break;
      left.delete(below);
      const [row, from, to] = below;
      stroke.push(
        ...(Math.abs(from - x) < Math.abs(to - x)
          ? ([
              [from, row],
              [to, row],
            ] as const)
          : ([
              [to, row],
              [from, row],
            ] as const)),
      );
    }
    strokes.push(stroke);
  }
  return strokes;
}

/**
 * Paints a type on its true area of a demo's picture, with the mouse; pen and type are chosen before. Areas under a
 * tool of the screen are left out, as for a person who does not move the picture.
 *
 * @param part share of its rows, from the top
 */
export async function paintTruth(page: Page, demo: string, type: string, part = 1): Promise<void> {
  const box = await page.locator('[role="application"] [aria-hidden="true"] > canvas').boundingBox();
  if (box === null) throw new Error('No picture is shown');
  const at = ([x, y]: readonly [number, number]): [number, number] => [
    box.x + (x / width) * box.width,
    box.y + (y / height) * box.height,
  ];
  const all = runsOf(demo, type);
  const wanted = all.slice(0, Math.ceil(all.length * part));
  const ends = wanted.map(([y, from, to]) => [at([from, y]), at([to, y])]);
  const free = await page.evaluate(
    (each) =>
      each.map((run) =>
        run.every(([x = 0, y = 0]) => document.elementFromPoint(x, y)?.closest('[role="application"]') !== null),
      ),
    ends,
  );
  const mouse = await MouseDriver.on(page);
  for (const stroke of strokesOf(wanted.filter((_, index) => free[index] === true))) {
    const [first, ...others] = stroke.map(at);
    if (first === undefined) continue;
    // Fewer than four points do not make a stroke.
    const places = others.length < 3 ? others.flatMap((to, n) => placesBetween(others[n - 1] ?? first, to, 4)) : others;
    await mouse.draw([first, ...places]);
  }
}
