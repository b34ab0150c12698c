import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { maskedReef } from '../support/masks';
import { benchFolder, removeFolder, startChild } from './tools/child';
import type { Child } from './tools/child';
import type { Bench, Contestant, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';
import { peakBytesOf } from './tools/process-tree';

const ROUNDS = 7;
const WIDTH = 2000;
const HEIGHT = 1500;
const GOAL = 3;

const SIDES = {
  ours: 'tests/bench/tools/segmentation-child.ts',
  opencv: 'tests/bench/rivals/opencv-watershed.ts',
} as const;

/**
 * Ours makes outlines with classes from the pixels; OpenCV's watershed a raster of as many regions, without outlines,
 * sizes or classes, from markers that it is given. Each runs in a process of its own, so that the peak of its memory is
 * its own; both have read the same raw picture before.
 */
export const bench: Bench = {
  about: `outlines of a picture of ${WIDTH} x ${HEIGHT}, beside OpenCV's watershed`,
  async run(say) {
    const folder = await benchFolder('segmentation');
    const children: Child<unknown>[] = [];
    try {
      const reef = maskedReef('bommie', 11);
      const picture = path.join(folder, 'reef.raw');
      const raw = { width: reef.width, height: reef.height, channels: 4 as const };
      await writeFile(picture, await sharp(reef.data, { raw }).resize(WIDTH, HEIGHT).raw().toBuffer());
      const contestants: Contestant[] = [];
      for (const [name, entry] of Object.entries(SIDES)) {
        const child = await startChild(entry, { PICTURE: picture, WIDTH: String(WIDTH), HEIGHT: String(HEIGHT) });
        children.push(child);
        contestants.push({ name, turn: () => child.ask<Turn>({}) });
      }
      const turns = await interleave(contestants, ROUNDS);
      const [ours, theirs] = [turns.get('ours') ?? [], turns.get('opencv') ?? []];
      const peaks = children.map(({ pid }) => peakBytesOf(pid));
      for (const [index, [name, all]] of [...turns].entries()) {
        const took = [median(all.map(({ seconds }) => seconds)), median(all.map(({ cpuSeconds }) => cpuSeconds))];
        const [real, cpu] = took.map((seconds) => (seconds * 1000).toFixed(0));
        say(`${name.padEnd(7)} ${real} ms, processor ${cpu} ms, peak ${((peaks[index] ?? 0) / 1e6).toFixed(0)} MB`);
      }
      return [
        {
          figure: 'time for one picture',
          value: ratioByRound(ours, theirs, ({ seconds }) => seconds),
          unit: '×',
          rule: '<=',
          goal: GOAL,
          rival: '@techstark/opencv-js watershed',
        },
        {
          figure: 'peak memory of the process',
          value: (peaks[0] ?? NaN) / (peaks[1] ?? NaN),
          unit: '×',
          rule: '<=',
          goal: GOAL,
          rival: '@techstark/opencv-js watershed',
        },
      ];
    } finally {
      for (const child of children) await child.stop();
      await removeFolder(folder);
    }
  },
};
