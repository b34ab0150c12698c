import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { hashOnBox } from '../support/servers/client';
import { type TestEdge, startEdge } from '../support/servers/edge';
import type { Picture } from '../support/pictures';
import { addPhotographs, enterPerson, pairTablet, startSurvey, untilCustody } from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000 });
const folder = mkdtempSync(path.join(tmpdir(), 'reef-edges-'));
let edge: TestEdge;
let browser: TestTablet;

beforeEach(async () => {
  edge = await startEdge({ tls: 'shared' });
  browser = await openTablet({ trusts: [edge.certificate] });
  await browser.page.goto(edge.origin);
  await enterPerson(browser.page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await pairTablet(browser.page, edge.code);
  await startSurvey(browser.page, 'Milln Reef');
});
afterEach(async () => {
  await browser.close();
  await edge.remove();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Photograph of 100 megapixels in one colour, so that the test stays fast. */
async function hundredMegapixels(): Promise<Picture> {
  const file = path.join(folder, 'huge.jpg');
  writeFileSync(
    file,
    await sharp({ create: { width: 11_600, height: 8_700, channels: 3, background: '#0a6a8a' } })
      .jpeg()
      .toBuffer(),
  );
  const bytes = readFileSync(file);
  return { name: 'huge.jpg', file, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
}

test('protocol: 100 megapixels are evidence: stored and sent unchanged, marked "no preview"', async () => {
  const huge = await hundredMegapixels();
  await addPhotographs(browser.page, [huge]);
  const [row] = await untilCustody(browser.page, 1, ['box']);
  expect(row?.sha256).toBe(huge.sha256);
  await browser.page.getByText('The original is saved and safe.').waitFor();
  expect(await hashOnBox(edge.audited, huge.sha256)).toBe(huge.sha256);
});
