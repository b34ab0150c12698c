import { copyFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import path from 'node:path';
import sharp from 'sharp';
import { makePicture, restrictSharp } from '../../src/server/variants/make-picture';
import { Variants } from '../../src/server/variants/variants';
import { realPhotographs } from '../support/pictures';
import { benchFolder, removeFolder } from './tools/child';
import type { Bench, Contestant } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';

const ROUNDS = 12;
/** Photographs of one turn. */
const EACH = 3;
const SIZE = 800;
const RIVAL = 'the same decoder in this process';

/**
 * Compares the first picture of a photograph: as the servers make it, in a process with limits, with its durable mark
 * and the check that none exists, and by the same code right here, without either. Both sides make the same pictures in
 * one run; the process was started in the round that is dropped.
 */
export const bench: Bench = {
  about: `${EACH} first pictures of ${SIZE} px a turn, beside ${RIVAL}`,
  async run(say) {
    const folder = await benchFolder('pictures');
    const photographs = await gatherPhotographs(folder);
    let names = 0;
    const files = new Map<string, string>();
    const variants = new Variants(path.join(folder, 'variants'), {
      file: (sha256) => Promise.resolve(files.get(sha256) ?? ''),
    });
    restrictSharp();
    const contestant = (name: string, make: (source: string, id: number) => Promise<unknown>): Contestant => ({
      name,
      async turn(round) {
        const from = performance.now();
        for (let n = 0; n < EACH; n++) await make(photographs[(round * EACH + n) % photographs.length] ?? '', ++names);
        return { seconds: (performance.now() - from) / 1000, cpuSeconds: 0 };
      },
    });
    try {
      await mkdir(path.join(folder, 'here'));
      const turns = await interleave(
        [
          contestant('process', (source, id) => {
            const sha256 = createHash('sha256').update(String(id)).digest('hex');
            files.set(sha256, source);
            return variants.file(sha256, SIZE);
          }),
          contestant('here', async (source, id) => {
            const target = path.join(folder, 'here', `${id}.webp`);
            const job = { id, source, target, size: SIZE, kind: 'plain', quality: 82, memoryBytes: Infinity } as const;
            const { outcome } = await makePicture(job);
            if (outcome !== 'made') throw new Error(`${source}: ${outcome}`);
          }),
        ],
        ROUNDS,
      );
      for (const [name, list] of turns)
        say(`${name}: ${((1000 * median(list.map(({ seconds }) => seconds))) / EACH).toFixed(0)} ms a picture`);
      return [
        {
          figure: 'first picture of a photograph',
          value: ratioByRound(turns.get('process') ?? [], turns.get('here') ?? [], ({ seconds }) => seconds),
          unit: '×',
          rule: '<=',
          goal: 1.25,
          rival: RIVAL,
        },
      ];
    } finally {
      await variants.close();
      await removeFolder(folder);
    }
  },
};

/** Real photographs if this machine has them, else noise of 12 megapixels. */
async function gatherPhotographs(folder: string): Promise<string[]> {
  const real = realPhotographs().map(({ file }, n) => {
    const copy = path.join(folder, `${n}.jpg`);
    copyFileSync(file, copy);
    return copy;
  });
  if (real.length > 0) return real;
  const file = path.join(folder, 'noise.jpg');
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#4cc5c6', noise } })
    .jpeg({ quality: 90 })
    .toFile(file);
  return [file];
}
