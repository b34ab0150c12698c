import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { queueRecount } from '../../cloud-sync/api/consensus/queue/recount-figures';
import { DATASET, FigureScene, LABELS } from '../support/servers/figure-scene';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const PROGRAM = fileURLToPath(new URL('../support/servers/figure-program.ts', import.meta.url));
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const IMAGES = 6;

async function census(): Promise<FigureScene> {
  const scene = await FigureScene.open({ batchSize: IMAGES });
  undo.push(() => scene.close());
  await scene.addDataset(DATASET);
  await scene.addSurvey('Survey0000000001');
  await scene.place('Survey0000000001', 'gbr-16-071');
  for (let n = 1; n <= IMAGES; n++) {
    await scene.addImage(`Image0000000000${n}`, 'Survey0000000001');
    for (let by = 1; by <= 5; by++)
      await scene.analyse(
        `Image0000000000${n}`,
        `Person000000000${by}`,
        [0, 1, 2, 3].map((place) => LABELS[(n + place * (by === 5 ? 2 : 1)) % LABELS.length] ?? ''),
        { isExpert: by === 1 },
      );
  }
  return scene;
}

/** Runs the program and kills it like the power button when it begins its first figure of a kind; true if it ended first. */
async function runUntil(url: string, kind: string, mode: string): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, url, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let isSettled = false;
  createInterface(child.stdout).on('line', (line) => {
    isSettled ||= line === 'settled';
    if (line === kind) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('close', resolve));
  return isSettled;
}

it('2§1: figures are the same bytes after a process is killed at each step, and after a recount', async () => {
  const [whole, cut] = [await census(), await census()];
  await whole.settle(true);
  for (const kind of ['photograph', 'survey', 'release', 'reef', 'dataset', 'publication'])
    expect(await runUntil(cut.url, kind, 'once'), kind).toBe(false);
  expect(await runUntil(cut.url, 'skill', 'renew')).toBe(false);
  expect(await cut.figures.skillVersions.renew()).toBe(1);
  for (const kind of ['photograph', 'region', 'reef', 'publication'])
    expect(await runUntil(cut.url, kind, 'once'), kind).toBe(false);
  expect(await runUntil(cut.url, 'never', 'once')).toBe(true);
  const bytes = await whole.figuresText();
  expect(await cut.figuresText()).toBe(bytes);

  await cut.store.rebuild();
  expect(await queueRecount(cut.database.pool)).toBeGreaterThan(IMAGES);
  await cut.settle();
  expect(await cut.figuresText()).toBe(bytes);
});
