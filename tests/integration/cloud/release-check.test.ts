import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readPublicFile } from '../../../cloud-sync/api/region-data/public-files';
import { FigureScene, LABELS, analysisId } from '../../support/servers/figure-scene';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const PROGRAM = fileURLToPath(new URL('../../../cloud-sync/release-check/main.ts', import.meta.url));
const FILES = ['photographs.csv', 'answers.csv', 'spread.json', 'results.csv'];
const IMAGES = 6;
const image = (n: number): string => `Image00000000${String(n).padStart(3, '0')}`;
const person = (n: number): string => `Person000000000${n}`;
const survey = (n: number): string => `Survey000000000${n}`;

let census: FigureScene;
let folder: string;

/** A release of one batch: two surveys of one reef, five answers a photograph, one of experts, one photograph bad. */
beforeAll(async () => {
  census = await FigureScene.open({ batchSize: IMAGES });
  await census.addDataset();
  for (const n of [1, 2]) {
    await census.addSurvey(survey(n));
    await census.place(survey(n), 'gbr-16-071');
  }
  for (let n = 1; n <= IMAGES; n++) {
    await census.addImage(image(n), survey((n % 2) + 1));
    for (let by = 1; by <= 5; by++)
      await census.analyse(
        image(n),
        person(by),
        [0, 1, 2, 3].map((place) => LABELS[(n + place + (by === 4 ? place : 0)) % LABELS.length]!),
        { isExpert: by === 1 && n === 2, isBad: n === 6 && by > 1 },
      );
  }
  await census.settle(true);
  folder = mkdtempSync(path.join(tmpdir(), 'reef-release-'));
  for (const name of FILES) await writeFile(path.join(folder, name), await published(name));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await census.close();
});

async function published(name: string): Promise<string> {
  const file = await readPublicFile(census.database.pool, `map/gbr/releases/1/${name}`);
  if (file === undefined) throw new Error(`the release has no ${name}`);
  return file.body.toString('utf8');
}

/** Runs the program in a process without a database. */
function check(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', PROGRAM, ...args], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: stdout + stderr }),
    );
  });
}

/** Runs a check with one file changed. */
async function checkWith(name: string, change: (text: string) => string) {
  const whole = await readFile(path.join(folder, name), 'utf8');
  const changed = change(whole);
  expect(changed).not.toBe(whole);
  await writeFile(path.join(folder, name), changed);
  try {
    return await check(folder);
  } finally {
    await writeFile(path.join(folder, name), whole);
  }
}

it('2§9 the public files of a release reproduce every published figure, in another process', async () => {
  const { code, text } = await check(folder);
  expect(text).toMatch(/Dataset000000001 gbr-16-071: [\d.]+% \([\d.]+ to [\d.]+%\), 5 photographs/);
  expect(text).toContain(`1 figures computed from ${IMAGES} photographs and ${5 * IMAGES} answers.`);
  expect(text).toContain('All are as published.');
  expect(code).toBe(0);
});

it('2§9 a release is checked by its address too', async () => {
  const server = createServer((request, response) => {
    readFile(path.join(folder, path.basename(request.url ?? ''))).then(
      (body) => response.end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { code, text } = await check(`http://127.0.0.1:${port}/cdn/map/gbr/releases/1/`);
    expect(text).toContain('All are as published.');
    expect(code).toBe(0);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

it('2§9 a changed photograph, figure or answer is named', async () => {
  const photograph = await checkWith('photographs.csv', (text) => {
    const [head = '', ...rows] = text.split('\r\n');
    const shareAt = head.split(',').indexOf('branchingShare');
    const noneAt = head.split(',').indexOf('noneShare');
    const cells = rows[0]!.split(',');
    [cells[shareAt], cells[noneAt]] = ['0.9', '0'];
    return [head, cells.join(','), ...rows.slice(1)].join('\r\n');
  });
  expect(photograph.code).toBe(1);
  expect(photograph.text).toMatch(/Dataset000000001 gbr-16-071: branchingCoralCover is [\d.]+, published is [\d.]+/);
  const figure = await checkWith('results.csv', (text) => text.replace(/,5,5,2,/, ',7,5,2,'));
  expect(figure.text).toContain('gbr-16-071: photographs is 5, published is 7');
  expect(figure.text).toContain('1 value differs.');
  const answer = await checkWith('answers.csv', (text) => text.split('\r\n').toSpliced(3, 1).join('\r\n'));
  expect(answer.text).toMatch(/P0000001: analysts is (\d )+\d, published is 1 2 3 4 5/);
  expect(answer.code).toBe(1);
});

it('2§9 a file that is missing or cannot be read is named', async () => {
  expect(await check(tmpdir())).toMatchObject({ code: 2, text: expect.stringContaining('has no photographs.csv') });
  const broken = await checkWith('photographs.csv', (text) => text.replace('branchingShare', 'branching'));
  expect(broken).toMatchObject({ code: 2, text: expect.stringContaining('no column “branchingShare”') });
  const spread = await checkWith('spread.json', () => '{}');
  expect(spread).toMatchObject({ code: 2, text: expect.stringContaining('does not contain the spread') });
  expect(await check()).toMatchObject({ code: 2, text: expect.stringContaining('npm run release:check') });
});

it('1§3 the files of a release name no person, photograph, survey or analysis', async () => {
  const text = (await Promise.all(FILES.map(published))).join('\n');
  for (let n = 1; n <= IMAGES; n++) {
    expect(text).not.toContain(image(n));
    for (let by = 1; by <= 5; by++) expect(text).not.toContain(analysisId(image(n), person(by)));
  }
  for (const secret of ['Person', survey(1), survey(2)]) expect(text).not.toContain(secret);
});
