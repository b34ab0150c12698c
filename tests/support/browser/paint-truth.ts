import type { Page } from 'playwright';
import { DEMO_SIZE, demoById } from '../../../src/domain/analysis/free-draw/demos';
import { REEF_CLASSES } from '../../../src/imaging/reef-renderer/reef-classes';
import { CATEGORY_OF, sceneOfDemo } from '../../../src/imaging/reef-renderer/render-demo';
import { buildReef } from '../../../src/imaging/reef-renderer/render-reef';

const { width, height } = DEMO_SIZE;
/** px of the picture between rows: a little less than the pen is wide. */
const ROW = 13;
/** Runs shorter than this are within the pen's own roundness. */
const RUN_MIN = 8;
/** By how much a run is cut at both ends, px: the pen is round and reaches beyond. */
const CUT = 6;

/** Rows whose ends are so near to each other are painted in one stroke, px. */
const NEAR = 60;

type Run = readonly [y: number, from: number, to: number];

/** Where a type truly is on a demo, row by row of the pen. */
function runsOf(id: string, type: string): readonly Run[] {
  const demo = demoById(id);
  if (demo === undefined) throw new Error(`There is no demo ${id}`);
  const { label } = buildReef(sceneOfDemo(demo.scene));
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

/** Runs of rows that lie below each other are one stroke, to and fro, as a hand paints. */
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
 * Paints a type where it truly is on a demo's picture, with the mouse; pen and type are chosen before. What lies under a tool of the
 * screen is left out, as it is for a person who does not move the picture.
 *
 * @param part of its rows, from the top
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
  for (const [first, ...others] of strokesOf(wanted.filter((_, index) => free[index] === true))) {
    if (first === undefined) continue;
    await page.mouse.move(...at(first));
    await page.mouse.down();
    // Fewer than four points are no stroke.
    for (const place of others) await page.mouse.move(...at(place), { steps: others.length < 3 ? 4 : 1 });
    await page.mouse.up();
  }
}
