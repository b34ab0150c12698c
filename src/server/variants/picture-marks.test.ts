import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PictureMarkFile } from './picture-marks';

const [A, B, C] = ['aa', 'bb', 'cc'].map((pair) => pair.repeat(32)) as [string, string, string];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'reef-marks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('an attempt that the server did not survive marks its picture, one that ended does not', async () => {
  const before = new PictureMarkFile(folder);
  await (await before.begin(A)).done();
  await before.begin(B);
  await (await before.begin(C)).broke('it took more than 30000 ms of processor time\n');
  expect(await before.isBroken(B), 'it runs').toBe(false);
  // No close: as after a kill.
  const after = new PictureMarkFile(folder);
  expect(await Promise.all([A, B, C].map((one) => after.isBroken(one)))).toEqual([false, true, true]);
  expect(await after.list()).toEqual([
    { sha256: B, why: 'the server ended while it was made' },
    { sha256: C, why: 'it took more than 30000 ms of processor time'.slice(0, 60) },
  ]);
  await after.close();
});

it('marks are cleared for good, but for the attempt that runs', async () => {
  const marks = new PictureMarkFile(folder);
  await (await marks.begin(A)).broke('killed');
  const running = await marks.begin(B);
  expect(await marks.clear()).toEqual([A]);
  await running.broke('killed');
  await marks.close();
  const after = new PictureMarkFile(folder);
  expect(await after.list()).toEqual([{ sha256: B, why: 'killed' }]);
  await after.close();
});

it('a folder without marks gets no file', () => {
  expect(new PictureMarkFile(path.join(folder, 'none'))).toBeDefined();
  expect(existsSync(path.join(folder, 'none'))).toBe(false);
});
